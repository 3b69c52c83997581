"""Zip file of the packages of this distribution, for import by the workers of a Spark cluster."""

import atexit
import shutil
import tempfile
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from ibc_module import __version__
from pyibc.installation import DISTRIBUTION, PACKAGES, ROOT

_DATA = (".py", ".binpb")
_STUB = "__init__.pyi"  # read by `pyibc._lazy`
_METADATA = f"Metadata-Version: 2.1\nName: {DISTRIBUTION}\nVersion: {__version__}\n"


def archive() -> Path:
    """Write the zip file into a temporary folder, which is deleted at exit; return its path.

    The file contains the sources, the protobuf descriptors, and metadata with the release number. If this
    package was itself imported from a zip file, as with `--py-files`, it is a copy of that.
    """
    folder = tempfile.mkdtemp(prefix="pyibc-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / "pyibc.zip"  # Spark imports from files with the suffix .zip, not .whl
    root = Path(ROOT)
    if root.is_file():
        shutil.copyfile(root, path)
        return path
    with ZipFile(path, "w", ZIP_DEFLATED) as packed:
        packed.writestr(f"{DISTRIBUTION}-{__version__}.dist-info/METADATA", _METADATA)
        for name in PACKAGES:
            for file in sorted((root / name).rglob("*")):
                if (file.suffix in _DATA or file.name == _STUB) and "__pycache__" not in file.parts:
                    packed.write(file, file.relative_to(root))
    return path

"""This distribution's packages as one zip file, from which a cluster's workers import them."""

import atexit
import shutil
import tempfile
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from ibc_core.installation import DISTRIBUTION, PACKAGES, ROOT
from ibc_module import __version__

_DATA = (".py", ".binpb")
_METADATA = f"Metadata-Version: 2.1\nName: {DISTRIBUTION}\nVersion: {__version__}\n"


def archive() -> Path:
    """Writes the zip into a temporary folder that goes when the program ends.

    It has sources, descriptors, and metadata that say which release it is.
    """
    folder = tempfile.mkdtemp(prefix="pyibc-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / "pyibc.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as packed:
        packed.writestr(f"{DISTRIBUTION}-{__version__}.dist-info/METADATA", _METADATA)
        for name in PACKAGES:
            for file in sorted((ROOT / name).rglob("*")):
                if file.suffix in _DATA and "__pycache__" not in file.parts:
                    packed.write(file, file.relative_to(ROOT))
    return path

"""This distribution's packages as one zip file, from which a cluster's workers import them."""

import atexit
import shutil
import tempfile
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from ibc_core.installation import PACKAGES, ROOT

_DATA = (".py", ".binpb")


def archive() -> Path:
    """Writes the zip, sources and descriptors, into a temporary folder that goes when the program ends."""
    folder = tempfile.mkdtemp(prefix="pyibc-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / "pyibc.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as packed:
        for name in PACKAGES:
            for file in sorted((ROOT / name).rglob("*")):
                if file.suffix in _DATA and "__pycache__" not in file.parts:
                    packed.write(file, file.relative_to(ROOT))
    return path

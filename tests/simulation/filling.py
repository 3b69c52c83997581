"""What a process of a simulation may be doing when its parent is killed."""

import os
import tempfile
from itertools import count
from pathlib import Path


def fill(told: Path) -> None:
    """Says where it writes, and writes there, for ever."""
    folder = Path(tempfile.gettempdir())
    (told / str(os.getpid())).write_text(str(folder))
    for number in count():
        place = folder / f"{os.getpid()}-{number}" / "home"
        place.mkdir(parents=True, exist_ok=True)
        (place / "data.mdb").write_bytes(bytes(1000))

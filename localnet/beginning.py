"""The first block of a home.

Until it is stored nobody has heard of the chain, and a power cut may leave databases that are not even
databases yet. A marker says so; what it stands beside is made anew.
"""

import shutil
from pathlib import Path

from localnet.durable import sync_folder

MARKER = "unfinished"


class Beginning:
    """The marker in a home: there from before the databases are made until the first block is stored.

    Args:
        home: Folder of the chain, created if absent.
        parts: The databases' folders in it, removed where an earlier beginning came to no end.

    Raises:
        OSError: the disk refuses.
    """

    def __init__(self, home: Path, parts: tuple[str, ...]) -> None:
        self._home = home
        self._parts = parts
        self._marker = home / MARKER
        home.mkdir(parents=True, exist_ok=True)
        if self._marker.exists():
            for part in parts:
                shutil.rmtree(home / part, ignore_errors=True)
        elif not any((home / part).exists() for part in parts):
            self._marker.touch()
            sync_folder(home)
            sync_folder(home.parent)

    def finish(self) -> None:
        """The first block is stored: from here on nothing is made anew. Raises OSError."""
        if self._marker.exists():
            for part in self._parts:
                sync_folder(self._home / part)
            sync_folder(self._home)  # the folders before the marker: they may reach the disk in any order
            self._marker.unlink()
            sync_folder(self._home)

"""The first block of a home.

Until it is stored nobody has heard of the chain, and a power cut may leave databases that are not even
databases yet. A marker says so; what it stands beside is made anew.
"""

import shutil
from pathlib import Path

from iavl import StorageError
from iavl.disk.data_file import sync_folder
from localnet.blockstore import BlockStore
from localnet.errors import DamagedRecord

MARKER = "unfinished"


class Beginning:
    """The marker in a home: there from before the databases are made until the first block is stored.

    Args:
        home: Folder of the chain, created if absent.
        parts: The databases' folders in it, removed where an earlier beginning came to no end: blocks first.
        signed: The record of signatures: where there is one and nothing else, databases were lost.

    Raises:
        OSError: the disk refuses.
    """

    def __init__(self, home: Path, parts: tuple[str, ...], signed: str) -> None:
        self._home = home
        self._parts = parts
        self._marker = home / MARKER
        home.mkdir(parents=True, exist_ok=True)
        if self._marker.exists():
            if not _has_blocks(home / parts[0]):  # or somebody put them back
                for part in parts:
                    shutil.rmtree(home / part, ignore_errors=True)
        elif not any((home / part).exists() for part in (*parts, f"{signed}.0")):
            # guard: h104-a-new-home-is-not-marked drop
            #   test_h104_a_home_whose_first_block_was_never_stored_begins_again
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


def _has_blocks(path: Path) -> bool:
    if not path.exists():
        return False
    try:
        blocks = BlockStore.open(path)
    except (StorageError, DamagedRecord):
        return False
    blocks.close()
    return blocks.height > 0

"""Removes a network's folder at once, so that a kill leaves all of it or nothing under its name."""

import shutil
from pathlib import Path

from localnet.home_lock import LOCK_FILE

_REMOVED = ".removed"


def started_homes(folder: Path) -> list[Path]:
    """The homes in a network's folder in which a process ever ran, whatever the settings say."""
    return sorted(path.parent for path in folder.glob(f"*/{LOCK_FILE}"))


def remove(folder: Path) -> None:
    """Removes a network's folder, and what killed removals beside it left; raises OSError.

    Its name is gone first: what is half removed must not be taken for a network, whose chains would go on
    from the half of their state that is left.
    """
    finish_removals(folder.parent)
    aside = folder.with_name(f".{folder.name}{_REMOVED}")
    folder.rename(aside)
    shutil.rmtree(aside)


def finish_removals(root: Path) -> None:
    """Removes what killed removals below `root` left; raises OSError."""
    for aside in root.glob(f".*{_REMOVED}"):
        shutil.rmtree(aside)

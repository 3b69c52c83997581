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
    # guard: h232-a-removal-keeps-the-name test_h232_a_removal_that_is_killed_leaves_no_network_to_go_on_from
    folder.rename(aside)
    # guard: h232-a-removal-keeps-the-name {aside => folder}
    shutil.rmtree(aside)


def finish_removals(root: Path) -> None:
    """Removes what killed removals below `root` left; raises OSError."""
    for aside in root.glob(f".*{_REMOVED}"):
        shutil.rmtree(aside)

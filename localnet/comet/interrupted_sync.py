"""Recovery from a state sync that was interrupted by a crash.

CometBFT 0.38 stores its state when the application has restored the snapshot, and its first block shortly
after. If it is killed in between, it panics on every start (blocksync.NewReactor). It has no block yet and
has signed nothing, so it can safely start from scratch; the application then restores another snapshot.
"""

import re
import shutil
from pathlib import Path

_PANIC = re.compile(r"^panic: state \([0-9]+\) and store \(0\) height mismatch", re.MULTILINE)


def reset_interrupted_sync(home: Path, said: str) -> bool:
    """Deletes the databases of a CometBFT that fails in this way, but not its last signed state.

    Args:
        home: Its home.
        said: What it has logged since it started.

    Returns:
        Whether this was the failure.

    Raises:
        OSError: a file cannot be removed.
    """
    if not _PANIC.search(said):
        return False
    for folder in (home / "data").iterdir():
        if folder.is_dir():  # all but priv_validator_state.json
            shutil.rmtree(folder)
    return True

"""A state sync that a kill cut short on CometBFT's side, known by what it says then, and undone.

CometBFT 0.38 stores its state when the application has the snapshot, and its first block some moments later.
Killed between the two it panics at each start (blocksync.NewReactor). It has no block yet and has signed
nothing, so nothing is lost where it begins anew: our application takes another snapshot then.
"""

import re
import shutil
from pathlib import Path

_PANIC = re.compile(r"^panic: state \([0-9]+\) and store \(0\) height mismatch", re.MULTILINE)


def reset_interrupted_sync(home: Path, said: str) -> bool:
    """Removes the databases of a CometBFT that stopped so; what it signed last stays. Raises OSError.

    Args:
        home: Its home.
        said: What it has logged since it was started.

    Returns:
        Whether it was that.
    """
    if not _PANIC.search(said):
        return False
    for folder in (home / "data").iterdir():
        if folder.is_dir():  # all but priv_validator_state.json
            shutil.rmtree(folder)
    return True

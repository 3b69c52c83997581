"""The walk over an application's state."""

from pathlib import Path
from typing import NamedTuple

from iavl import verify_store
from iavl.disk.data_file import NAME
from localnet.verify.report import Findings

PART = "state"


class State(NamedTuple):
    """Of which block it is."""

    height: int  # 0: of none
    app_hash: bytes


def walk_state(folder: Path, map_bytes: int, findings: Findings) -> State | None:
    """Checks every record; None if the last version cannot be told.

    Raises:
        StorageError: as `iavl.verify_store`.
    """
    if not (folder / NAME).exists():
        findings.tell(PART, str(folder), "there is none")
        return None
    told = verify_store(
        folder, on_problem=lambda each: findings.tell(PART, each.record, each.detail), map_size=map_bytes
    )
    findings.counts["versions"] += len(told.versions)
    findings.counts["nodes"] += told.nodes
    if told.versions and not told.app_hash:
        return None
    return State(told.versions.stop - 1 if told.versions else 0, told.app_hash)

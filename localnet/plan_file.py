"""The file `localnet.toml` of a project: the network that `pyibc localnet up` makes in its folder."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from localnet.errors import WrongPlan
from localnet.settings import MAX_BLOCK_MS, MAX_VALIDATORS, MIN_BLOCK_MS, Consensus
from pyibc.core.address import PREFIX

FILE = "localnet.toml"
_MAX_BYTES = 64 * 1024


class PlanFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Content of the file; what is absent is as without a file."""

    name: str = "default"
    chains: Annotated[int, Meta(ge=1, le=26)] = 2
    validators: Annotated[int, Meta(ge=1, le=MAX_VALIDATORS)] = 4
    block_time_ms: Annotated[int, Meta(ge=MIN_BLOCK_MS, le=MAX_BLOCK_MS)] = 1_000
    prefix: Annotated[str, Meta(pattern=PREFIX)] = "cosmos"
    plugins: tuple[str, ...] = ()
    consensus: Consensus = "local"
    queues: bool = False
    legacy_events: bool = False
    export: bool = False

    def plan(self) -> dict[str, Any]:
        """Return the fields of a `NetworkPlan`."""
        fields = msgspec.structs.asdict(self)
        del fields["name"]
        return fields


def read_plan(folder: Path) -> PlanFile | None:
    """Return the plan in a folder; None if there is none.

    Raises:
        WrongPlan: the file is malformed; the message has its path and the wrong key.
        OSError: the file cannot be read.
    """
    path = folder / FILE
    try:
        with path.open("rb") as file:
            raw = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    if len(raw) > _MAX_BYTES:
        raise WrongPlan(str(path), f"the file is larger than {_MAX_BYTES} bytes")
    try:
        return msgspec.toml.decode(raw, type=PlanFile)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WrongPlan(str(path), str(error)) from error

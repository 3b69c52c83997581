"""Where a tendermint client keeps its states in the `ibc` store (ibc-go `07-tendermint/store.go`).

Beside each consensus state stand the host's time and height at which it came in (for delay periods) and a
key in big-endian order, because printed heights do not sort.
"""

from typing import NamedTuple

from ibc_core import paths
from ibc_core.client.types import Status
from ibc_core.errors import (
    ClientNotActive,
    ClientNotFound,
    ConsensusStateNotFound,
    DelayPeriodNotPassed,
    InvalidHeight,
    ProcessedHeightNotFound,
    ProcessedTimeNotFound,
)
from ibc_core.height import ZERO_HEIGHT, Height, parse_height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.numbers import be8
from ibc_core.proofs.decode import merkle_proof
from light_client.interface import Claim
from light_client.tendermint.state_codec import (
    load_client_state,
    load_consensus_state,
    pack_client_state,
    pack_consensus_state,
)
from light_client.tendermint.states import ClientState, ConsensusState

_FIRST_WINDOW = 4
"""Heights looked at first for the state before a height: most updates come close after the last one.

Every entry of a window is read, to find the last.
"""


class Processed(NamedTuple):
    """When the host took a consensus state in."""

    height: Height
    time_ns: int


def find_client_state(ctx: ReadContext, client_id: str) -> ClientState | None:
    """The client's state, None where there is no such client."""
    raw = ctx.ibc.get(paths.client_state_path(client_id))
    return None if raw is None else load_client_state(raw)


def client_state(ctx: ReadContext, client_id: str) -> ClientState:
    """The client's state.

    Raises:
        ClientNotFound: there is no such client.
    """
    found = find_client_state(ctx, client_id)
    if found is None:
        raise ClientNotFound(client_id)
    return found


def find_consensus_state(ctx: ReadContext, client_id: str, height: Height) -> ConsensusState | None:
    """The consensus state of `height`, None where the client has none."""
    raw = ctx.ibc.get(paths.consensus_state_path(client_id, height))
    return None if raw is None else load_consensus_state(raw)


def consensus_state(ctx: ReadContext, client_id: str, height: Height) -> ConsensusState:
    """The consensus state of `height`.

    Raises:
        ConsensusStateNotFound: the client has none; a header of that height must be submitted first.
    """
    found = find_consensus_state(ctx, client_id, height)
    if found is None:
        raise ConsensusStateNotFound(client_id, str(height))
    return found


def is_expired(state: ClientState, consensus_ns: int, now_ns: int) -> bool:
    """Whether a consensus state of `consensus_ns` can no longer be trusted."""
    return consensus_ns + state.trusting_period_ns <= now_ns


def load(ctx: ReadContext, client_id: str) -> tuple[Status, ClientState | None, ConsensusState | None]:
    """The client's status, and the states that it was told by: the client's and its newest."""
    state = find_client_state(ctx, client_id)
    if state is None:
        return Status.UNKNOWN, None, None
    # guard: h15-a-frozen-client-carries-packets test_h15_a_client_that_is_not_active_carries_nothing
    #   test_h15_a_frozen_one_proves_nothing
    if state.frozen_height != ZERO_HEIGHT:
        return Status.FROZEN, state, None
    newest = find_consensus_state(ctx, client_id, state.latest_height)
    if newest is None or is_expired(state, newest.time_ns, ctx.time_ns):
        return Status.EXPIRED, state, newest
    return Status.ACTIVE, state, newest


def active(ctx: ReadContext, client_id: str) -> tuple[ClientState, ConsensusState]:
    """An Active client's state and its newest consensus state.

    Raises:
        ClientNotActive: it is frozen, expired or unknown.
    """
    status, state, newest = load(ctx, client_id)
    # guard: h15-an-expired-client-carries-packets drop:status
    #   test_h15_a_client_that_is_not_active_carries_nothing test_h15_an_expired_one_proves_nothing
    if status is not Status.ACTIVE or state is None or newest is None:
        raise ClientNotActive(client_id, status.value)
    return state, newest


def root_at(
    ctx: ReadContext, client_id: str, state: ClientState, claim: Claim, newest: ConsensusState | None = None
) -> bytes:
    """The root of the chain's state that a claim is about.

    `newest`: the consensus state of the client's latest height, where it was read already.

    Raises:
        InvalidHeight: the client has not seen that height yet.
        DelayPeriodNotPassed: the header came in too recently.
        ConsensusStateNotFound: a header of that height must be submitted first.
    """
    height = claim.height
    if state.latest_height < height:
        raise InvalidHeight(
            # Relayers search for both halves: what they sent runs behind an update that waits for its block.
            "proof verification failed: client state height < proof height"
            f" ({state.latest_height} < {height}), please ensure the client has been updated"
        )
    if claim.delay_time_ns or claim.delay_blocks:
        check_delay_passed(ctx, client_id, height, claim.delay_time_ns, claim.delay_blocks)
    if newest is not None and height == state.latest_height:
        return newest.root
    trusted = find_consensus_state(ctx, client_id, height)
    if trusted is None:
        merkle_proof(claim.proof)  # ibc-go reads the proof first: malformed bytes are refused as such
        raise ConsensusStateNotFound(client_id, str(height))
    return trusted.root


def set_client_state(ctx: WriteContext, client_id: str, state: ClientState) -> None:
    """Writes the client's state."""
    ctx.ibc.set(paths.client_state_path(client_id), pack_client_state(state))


def set_consensus_state(
    ctx: WriteContext, client_id: str, height: Height, state: ConsensusState, processed: Processed
) -> None:
    """Writes a consensus state and what is kept beside it."""
    ctx.ibc.set(paths.consensus_state_path(client_id, height), pack_consensus_state(state))
    ctx.ibc.set(paths.processed_time_path(client_id, height), be8(processed.time_ns))
    ctx.ibc.set(paths.processed_height_path(client_id, height), str(processed.height).encode())
    ctx.ibc.set(paths.iteration_path(client_id, height), paths.consensus_state_suffix(height))


def delete_consensus_state(ctx: WriteContext, client_id: str, height: Height) -> None:
    """Removes a consensus state and what is kept beside it."""
    ctx.ibc.delete(paths.consensus_state_path(client_id, height))
    ctx.ibc.delete(paths.processed_time_path(client_id, height))
    ctx.ibc.delete(paths.processed_height_path(client_id, height))
    ctx.ibc.delete(paths.iteration_path(client_id, height))


def processed_time(ctx: ReadContext, client_id: str, height: Height) -> int | None:
    """Host time in ns at which the consensus state of `height` came in."""
    raw = ctx.ibc.get(paths.processed_time_path(client_id, height))
    return None if raw is None else int.from_bytes(raw, "big")


def processed_height(ctx: ReadContext, client_id: str, height: Height) -> Height | None:
    """Host height at which the consensus state of `height` came in."""
    raw = ctx.ibc.get(paths.processed_height_path(client_id, height))
    return None if raw is None else parse_height(raw.decode())


def oldest_height(ctx: ReadContext, client_id: str) -> Height | None:
    """Height of the client's oldest consensus state."""
    prefix = paths.iteration_prefix(client_id)
    for key, _ in ctx.ibc.iterate(prefix, paths.prefix_end(prefix)):
        return _height_of(key, prefix)
    return None


def next_consensus_state(ctx: ReadContext, client_id: str, height: Height) -> ConsensusState | None:
    """The consensus state of the lowest height above `height`."""
    prefix = paths.iteration_prefix(client_id)
    start = paths.iteration_path(client_id, height) + b"\x00"
    for key, _ in ctx.ibc.iterate(start, paths.prefix_end(prefix)):
        return find_consensus_state(ctx, client_id, _height_of(key, prefix))
    return None


def previous_consensus_state(ctx: ReadContext, client_id: str, height: Height) -> ConsensusState | None:
    """The consensus state of the highest height below `height`.

    Stores iterate upwards only, so windows of growing width below `height` are searched.
    """
    prefix = paths.iteration_prefix(client_id)
    end, width = paths.iteration_path(client_id, height), _FIRST_WINDOW
    while end > prefix:
        low = height.revision_height - width
        bottom = Height(height.revision_number, low) if low > 0 else None
        start = prefix if bottom is None else paths.iteration_path(client_id, bottom)
        found = None
        for key, _ in ctx.ibc.iterate(start, end):
            found = key
        if found is not None:
            return find_consensus_state(ctx, client_id, _height_of(found, prefix))
        end, width = start, width * 8
    return None


def _height_of(key: bytes, prefix: bytes) -> Height:
    at = len(prefix)
    return Height(int.from_bytes(key[at : at + 8], "big"), int.from_bytes(key[at + 8 :], "big"))


def check_delay_passed(
    ctx: ReadContext, client_id: str, height: Height, delay_time_ns: int, delay_blocks: int
) -> None:
    """Checks that both delays have passed since the consensus state of `height` came in; bounds included.

    Raises:
        ProcessedTimeNotFound, ProcessedHeightNotFound: it is not known when it came in.
        DelayPeriodNotPassed: it is too early.
    """
    if delay_time_ns:
        came_ns = processed_time(ctx, client_id, height)
        if came_ns is None:
            raise ProcessedTimeNotFound(str(height))
        if ctx.time_ns < came_ns + delay_time_ns:
            raise DelayPeriodNotPassed(f"{came_ns + delay_time_ns} ns", f"{ctx.time_ns} ns")
    if delay_blocks:
        came_at = processed_height(ctx, client_id, height)
        if came_at is None:
            raise ProcessedHeightNotFound(str(height))
        until = came_at._replace(revision_height=came_at.revision_height + delay_blocks)
        if ctx.height < until:
            raise DelayPeriodNotPassed(f"height {until}", f"height {ctx.height}")

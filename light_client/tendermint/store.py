"""Access to a tendermint client's states in the `ibc` store (ibc-go `07-tendermint/store.go`).

For each consensus state, the store also has its processed time and height, for delay periods, and an
iteration key with the height in big-endian order, because heights as text do not sort.
"""

from typing import NamedTuple

from light_client.interface import Claim
from light_client.tendermint.states import (
    ClientState,
    ConsensusState,
    load_client_state,
    load_consensus_state,
    pack_client_state,
    pack_consensus_state,
)
from pyibc.core import paths
from pyibc.core.client.types import Status
from pyibc.core.errors import (
    ClientNotActive,
    ClientNotFound,
    ConsensusStateNotFound,
    DelayPeriodNotPassed,
    InvalidHeight,
    ProcessedHeightNotFound,
    ProcessedTimeNotFound,
)
from pyibc.core.height import ZERO_HEIGHT, Height, parse_height
from pyibc.core.host.context import ReadContext, WriteContext, prefix_end
from pyibc.core.numbers import be8
from pyibc.core.proofs.decode import merkle_proof

_FIRST_WINDOW = 4
"""Initial width, in heights, of the search for the state before a height; most updates are close together.

The search reads every entry of a window to find the last.
"""


class Processed(NamedTuple):
    """Host height and time at which a consensus state was stored."""

    height: Height
    time_ns: int


def find_client_state(ctx: ReadContext, client_id: str) -> ClientState | None:
    """Return the client state; None if the client does not exist."""
    raw = ctx.ibc.get(paths.client_state_path(client_id))
    return None if raw is None else load_client_state(raw)


def client_state(ctx: ReadContext, client_id: str) -> ClientState:
    """Return the client state.

    Raises:
        ClientNotFound: there is no such client.
    """
    found = find_client_state(ctx, client_id)
    if found is None:
        raise ClientNotFound(client_id)
    return found


def find_consensus_state(ctx: ReadContext, client_id: str, height: Height) -> ConsensusState | None:
    """Return the consensus state of `height`; None if there is none."""
    raw = ctx.ibc.get(paths.consensus_state_path(client_id, height))
    return None if raw is None else load_consensus_state(raw)


def consensus_state(ctx: ReadContext, client_id: str, height: Height) -> ConsensusState:
    """Return the consensus state of `height`.

    Raises:
        ConsensusStateNotFound: there is none; submit a header of the height first.
    """
    found = find_consensus_state(ctx, client_id, height)
    if found is None:
        raise ConsensusStateNotFound(client_id, str(height))
    return found


def is_expired(state: ClientState, consensus_ns: int, now_ns: int) -> bool:
    """Return whether the trusting period of a consensus state of `consensus_ns` has passed."""
    return consensus_ns + state.trusting_period_ns <= now_ns


def load(ctx: ReadContext, client_id: str) -> tuple[Status, ClientState | None, ConsensusState | None]:
    """Return the client's status, client state and latest consensus state."""
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
    """Return an Active client's state and its latest consensus state.

    Raises:
        ClientNotActive: the client is frozen, expired or does not exist.
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
    """Return the root of the consensus state at the height of a claim.

    `newest` is the consensus state of the client's latest height if it has been read already.

    Raises:
        InvalidHeight: the height exceeds the client's latest height.
        DelayPeriodNotPassed: the delay period since the header's arrival has not passed.
        ConsensusStateNotFound: there is no consensus state at the height; submit a header first.
    """
    height = claim.height
    if state.latest_height < height:
        raise InvalidHeight(
            # Relayers match both halves, to detect that the client update is still pending.
            "proof verification failed: client state height < proof height"
            f" ({state.latest_height} < {height}), please ensure the client has been updated"
        )
    if claim.delay_time_ns or claim.delay_blocks:
        check_delay_passed(ctx, client_id, height, claim.delay_time_ns, claim.delay_blocks)
    if newest is not None and height == state.latest_height:
        return newest.root
    trusted = find_consensus_state(ctx, client_id, height)
    if trusted is None:
        merkle_proof(claim.proof)  # ibc-go decodes the proof first, so its error takes precedence
        raise ConsensusStateNotFound(client_id, str(height))
    return trusted.root


def set_client_state(ctx: WriteContext, client_id: str, state: ClientState) -> None:
    """Write the client state."""
    ctx.ibc.set(paths.client_state_path(client_id), pack_client_state(state))


def set_consensus_state(
    ctx: WriteContext, client_id: str, height: Height, state: ConsensusState, processed: Processed
) -> None:
    """Write a consensus state and its metadata."""
    ctx.ibc.set(paths.consensus_state_path(client_id, height), pack_consensus_state(state))
    ctx.ibc.set(paths.processed_time_path(client_id, height), be8(processed.time_ns))
    ctx.ibc.set(paths.processed_height_path(client_id, height), str(processed.height).encode())
    ctx.ibc.set(paths.iteration_path(client_id, height), paths.consensus_state_suffix(height))


def delete_consensus_state(ctx: WriteContext, client_id: str, height: Height) -> None:
    """Delete a consensus state and its metadata."""
    ctx.ibc.delete(paths.consensus_state_path(client_id, height))
    ctx.ibc.delete(paths.processed_time_path(client_id, height))
    ctx.ibc.delete(paths.processed_height_path(client_id, height))
    ctx.ibc.delete(paths.iteration_path(client_id, height))


def processed_time(ctx: ReadContext, client_id: str, height: Height) -> int | None:
    """Return the processed time of a consensus state, in nanoseconds; None if there is none."""
    raw = ctx.ibc.get(paths.processed_time_path(client_id, height))
    return None if raw is None else int.from_bytes(raw, "big")


def processed_height(ctx: ReadContext, client_id: str, height: Height) -> Height | None:
    """Return the processed height of a consensus state; None if there is none."""
    raw = ctx.ibc.get(paths.processed_height_path(client_id, height))
    return None if raw is None else parse_height(raw.decode())


def oldest_height(ctx: ReadContext, client_id: str) -> Height | None:
    """Return the height of the client's oldest consensus state; None if there is none."""
    prefix = paths.iteration_prefix(client_id)
    for key, _ in ctx.ibc.iterate(prefix, prefix_end(prefix)):
        return _height_of(key, prefix)
    return None


def next_consensus_state(ctx: ReadContext, client_id: str, height: Height) -> ConsensusState | None:
    """Return the consensus state of the lowest height above `height`."""
    prefix = paths.iteration_prefix(client_id)
    start = paths.iteration_path(client_id, height) + b"\x00"
    for key, _ in ctx.ibc.iterate(start, prefix_end(prefix)):
        return find_consensus_state(ctx, client_id, _height_of(key, prefix))
    return None


def previous_consensus_state(ctx: ReadContext, client_id: str, height: Height) -> ConsensusState | None:
    """Return the consensus state of the highest height below `height`.

    Stores only iterate in ascending order, so windows of increasing width below `height` are searched.
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
    """Check that both delays have passed since the consensus state of `height` was stored, inclusive.

    Raises:
        ProcessedTimeNotFound, ProcessedHeightNotFound: the metadata is missing.
        DelayPeriodNotPassed: a delay has not passed.
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

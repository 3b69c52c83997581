"""Light client on a host chain that tracks a reference chain: checks, updates, refresh time, proofs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple, TypeVar

from pyibc.codec.anys import AnyMessage, decode_any
from pyibc.core import paths
from pyibc.core.client.messages import MsgUpdateClient
from pyibc.core.errors import IbcError
from pyibc.core.height import Height
from pyibc.core.numbers import MAX_I64
from pyibc.core.wire.message import pack_msg
from pyibc.relayer import errors
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.second_opinion import OtherNode
from pyibc.relayer.chain.values import Tip
from pyibc.relayer.clients.driver import (
    ClientDriver,
    ClientView,
    Difference,
    DriverExtras,
    Drivers,
)
from pyibc.relayer.clients.tendermint import DRIVERS
from pyibc.relayer.links.outcomes import lacks_trust, refusal, send
from pyibc.relayer.packets.proofs import Proofs, prover_of

_V = TypeVar("_V")
_Get = Callable[[bytes], bytes | None]

MAX_LAG = 20
"""Blocks by which a node may be behind a client's latest height; if more, the client tracks another chain."""
NEVER = MAX_I64
"""Refresh time and expiry of a client that never expires, Unix nanoseconds."""


class Lifetime(NamedTuple):
    """Time for which an active client can be updated."""

    updated_ns: int  # time of its latest consensus state, Unix nanoseconds
    trusting_ns: int  # trusting period, nanoseconds; 0: the client never expires
    read_ns: int  # time of the host's last block when the client was read, Unix nanoseconds

    @property
    def expires_ns(self) -> int:
        """Time of the host from which the client is expired unless it is updated, Unix nanoseconds."""
        return self.updated_ns + self.trusting_ns if self.trusting_ns else NEVER

    @property
    def is_over(self) -> bool:
        """True if the client had expired when it was read."""
        return self.read_ns >= self.expires_ns

    @property
    def due_ns(self) -> int:
        """Time of the host from which the client should be refreshed: after two thirds of the period."""
        return self.updated_ns + self.trusting_ns * 2 // 3 if self.trusting_ns else NEVER


class ForeignClient:
    """Client on the chain `host` that tracks the chain `reference`."""

    def __init__(
        self, host: ChainEndpoint, reference: ChainEndpoint, client_id: str, drivers: Drivers = DRIVERS
    ) -> None:
        """Create a view of a client, without queries; `drivers` are the supported client types."""
        self.host = host
        self.reference = reference
        self.client_id = client_id
        self._driver_or_none = drivers.find(client_id)
        extras = DriverExtras() if self._driver_or_none is None else self._driver_or_none.extras
        self.convention = extras.convention
        self._prefetched: tuple[int, tuple[AnyMessage, ClientView]] | None = (
            None  # height of an update, and the client state for it
        )

    def view(self) -> ClientView:
        """Return the client state after the host's last block.

        Raises:
            WrongCounterparty: the client does not exist, or its type is not supported.
        """
        return self._view(self._state())

    def check(self, *, is_chosen: bool = False) -> ClientView:
        """Check that the client is active and tracks the reference chain, not another of the same chain id.

        Compares its latest consensus state with the reference chain's header of that height (hermes#1038).

        Args:
            is_chosen: the user named this client, or the relayer created it. Then the block of its latest
            height
                may be pruned, if the client trusts the validators of the reference chain's last block.

        Raises:
            WrongCounterparty: the client tracks another chain.
            ClientUnusable: the client is frozen or expired.
            NodeBehind: the node of the reference chain lags behind the client.
            EndpointRefused: the node of the reference chain has pruned that header.
        """
        _, view = self._active_state()  # a frozen client may have the header of a fork
        latest = view.latest.revision_height
        if view.chain_id != self.reference.chain_id or view.latest != self._height(latest):
            raise self._mismatch(f"tracks {view.chain_id[:64]!r} at {view.latest}")
        consensus_state, last = self._consensus_state(view.latest), self.reference.tip().height
        if last < latest <= last + MAX_LAG:
            reason = f"its last block is {last}, {self.client_id} of {self.host.chain_id} has header {latest}"
            raise errors.NodeBehind(self.reference.chain_id, reason)
        if latest > last or not self._is_on_chain(consensus_state, latest, last if is_chosen else None):
            raise self._mismatch(
                f"its consensus state at {view.latest} does not match the header of {self.reference.chain_id}"
            )
        self._require_active(view, consensus_state)
        return view

    def differences(self) -> Sequence[Difference]:
        """Return the parameters in which the client differs from a new one of its driver.

        Raises:
            WrongCounterparty: the client does not exist, or its type is not supported.
        """
        state, driver = self._state(), self._driver
        return self._decode(lambda: driver.differences(state, self.reference))

    def holds_own(self, height: Height) -> bool:
        """Return whether the consensus state at `height` matches the reference chain's own header.

        Raises:
            WrongCounterparty: the consensus state is missing or malformed.
            EndpointRefused: the node of the reference chain has pruned that block.
        """
        if height != self._height(height.revision_height):
            return False
        return self._is_own(self._consensus_state(height), height.revision_height)

    def lifetime(self) -> Lifetime:
        """Return the time for which the client can be updated.

        Raises:
            ClientUnusable: the client is expired or frozen.
        """
        _, view = self._active_state()
        return self._require_active(view, self._consensus_state(view.latest))

    def build_updates(self, tip: int) -> tuple[int, list[AnyMessage]]:
        """Return the proof height and the MsgUpdateClient messages up to it.

        The height is `tip`, or the client's latest height if above. There are several updates if the client
        does not trust the newest header directly (bisection), and none if its latest height is at least
        `tip`.

        Raises:
            ClientUnusable: the client is frozen.
        """
        state, view = self._state_for(tip)
        return max(tip, view.latest.revision_height), list(self._updates(state, tip, tip))

    @property
    def needs_only_headers(self) -> bool:
        """True if the client can be updated to a header whose block is not executed yet."""
        return self._driver_or_none is not None and self._driver_or_none.extras.prefetch_header is not None

    def prefetch_header(self, tip: int) -> None:
        """Prefetch the light block for an update to `tip`, which only saves time."""
        prefetch = self._driver.extras.prefetch_header
        if prefetch is not None:
            prefetch(self.reference, tip)

    def prefetch_proofs(self, height: int, keys: Sequence[bytes]) -> None:
        """Prefetch the client state for an update to `height + 1`, and the proofs at `height`.

        This only saves time. A slightly old client state is sufficient: the client still stores the consensus
        state at its height.
        """
        self._prefetched = height + 1, self._active_state()
        prefetch = self.reference.extras.prefetch_proofs
        if prefetch is not None:  # whatever the driver makes of it
            prefetch(keys, height)

    def _state_for(self, tip: int) -> tuple[AnyMessage, ClientView]:
        """Return the client state for an update to `tip`: the prefetched one, once, else the current one."""
        # guard: a-state-is-used-again-and-again {=> prefetched = self._prefetched}
        #   test_an_update_that_was_foreseen_asks_for_no_state
        prefetched, self._prefetched = self._prefetched, None
        # guard: a-state-is-used-for-any-header drop:tip test_one_to_another_header_asks
        return prefetched[1] if prefetched is not None and prefetched[0] == tip else self._active_state()

    def update_to(self, height: int) -> int:
        """Update the client to `height` in separate transactions; return their number.

        Raises:
            TransactionFailed: the host refused an update.
            ClientUnusable: the client is frozen.
        """
        sent, max_step = 0, height
        while (update := next(self._updates(self._active_state()[0], height, max_step), None)) is not None:
            outcome = send(self.host, [update])
            if outcome.code == 0:
                sent += 1
                continue
            gap = height - self.view().latest.revision_height
            if gap > 0 and (max_step == 1 or not lacks_trust(outcome)):
                update_name = f"the update of {self.client_id}"
                raise errors.TransactionFailed(self.host.chain_id, update_name, refusal(outcome), outcome.log)
            max_step = max(1, min(gap, max_step) // 2)
        return sent

    def _updates(self, state: AnyMessage, height: int, max_step: int) -> Iterator[AnyMessage]:
        for header in self._driver.headers(state, self.reference, height, max_step):
            yield pack_msg(MsgUpdateClient(self.client_id, header, self.host.signer))

    def proofs(self, height: int, keys: Iterable[bytes]) -> Proofs:
        """Query entries of the reference chain after block `height`, with proofs for this client."""
        prove = self._driver.extras.prove_many
        prover = prover_of(self.reference) if prove is None else partial(prove, self.reference)
        return Proofs(prover, height, keys)

    def _height(self, height: int) -> Height:
        return self.convention.height(self.reference.chain_id, height)

    @property
    def _driver(self) -> ClientDriver:
        if self._driver_or_none is None:
            raise self._mismatch("its client type is not supported")
        return self._driver_or_none

    def _state(self) -> AnyMessage:
        return self._state_by(self.host.get)

    def _state_by(self, get: _Get) -> AnyMessage:
        return self._stored(paths.client_state_path(self.client_id), "the client does not exist", get)

    def _consensus_state(self, height: Height, get: _Get | None = None) -> AnyMessage:
        path = paths.consensus_state_path(self.client_id, height)
        return self._stored(path, f"it has no consensus state at {height}", get or self.host.get)

    def _stored(self, path: bytes, missing: str, get: _Get) -> AnyMessage:
        raw = get(path)
        if raw is None:
            raise self._mismatch(missing)
        try:
            return decode_any(raw)
        except IbcError as error:
            raise self._mismatch(str(error)) from error

    def _active_state(self) -> tuple[AnyMessage, ClientView]:
        """Return the state of the client, which is not frozen.

        Raises:
            ClientUnusable, WrongCounterparty: it is frozen, absent or malformed, by another node as well.
        """
        try:
            return self._active_state_by(self.host.get)
        except (errors.ClientUnusable, errors.WrongCounterparty):
            found = self._active_state_elsewhere()
            # guard: one-node-s-word-that-a-client-is-frozen always
            #   test_a_client_that_one_node_calls_frozen_or_absent_is_looked_up_on_another
            if found is None:
                raise
            return found

    def _active_state_by(self, get: _Get) -> tuple[AnyMessage, ClientView]:
        state = self._state_by(get)
        view = self._view(state)
        if view.frozen:
            raise errors.ClientUnusable(self.host.chain_id, self.client_id, "frozen")
        return state, view

    def _active_state_elsewhere(self) -> tuple[AnyMessage, ClientView] | None:
        """Return the state that another node shows, and report the difference; None: no other one does.

        Neither state is proven, so neither node is asked last for it.
        """
        opinions = self.host.extras.opinions
        if opinions is None:
            return None
        first, other = opinions.speaker, opinions.another()
        if other is None:
            return None
        try:
            found = self._active_state_by(other.get)
        except errors.RelayerError:
            return None
        opinions.differs(first, self._differing("frozen or absent"))
        return found

    def _differing(self, state: str) -> str:
        return f"client {self.client_id} is {state} by this node, and active by another one"

    def _view(self, state: AnyMessage) -> ClientView:
        driver = self._driver
        return self._decode(lambda: driver.view(state))

    def _is_own(self, consensus_state: AnyMessage, height: int) -> bool:
        driver = self._driver
        return self._decode(lambda: driver.is_own(consensus_state, self.reference, height))

    def _is_on_chain(self, consensus_state: AnyMessage, height: int, last: int | None) -> bool:
        """Return whether the consensus state is the chain's own, or trusts block `last` if that is pruned."""
        trusts = self._driver.extras.trusts
        try:
            return self._is_own(consensus_state, height)
        except errors.EndpointRefused:
            # guard: h225-a-client-older-than-all-blocks-is-unusable always
            #   test_h225_a_client_older_than_all_blocks_of_a_node_is_relayed_over
            if last is None or trusts is None:
                raise
        return self._decode(lambda: trusts(consensus_state, self.reference, last))

    def _decode(self, read: Callable[[], _V]) -> _V:
        try:
            return read()
        except errors.RelayerError:
            raise
        except (ValueError, IbcError) as error:
            raise self._mismatch(str(error)) from error

    def _require_active(self, view: ClientView, consensus_state: AnyMessage) -> Lifetime:
        """Return the lifetime by the latest consensus state, if the client is active."""
        if view.frozen:
            raise errors.ClientUnusable(self.host.chain_id, self.client_id, "frozen")
        lifetime = self._lifetime(view, consensus_state, self.host.tip())
        if not lifetime.is_over:
            return lifetime
        found = self._lifetime_elsewhere()
        # guard: one-node-s-word-that-a-client-is-expired always
        #   test_a_client_that_is_expired_by_the_time_of_one_node_is_looked_up_on_the_others
        if found is None:
            raise errors.ClientUnusable(self.host.chain_id, self.client_id, "expired")
        return found

    def _lifetime(self, view: ClientView, consensus_state: AnyMessage, tip: Tip) -> Lifetime:
        driver = self._driver
        time_ns = self._decode(lambda: driver.time_of(consensus_state))
        return Lifetime(time_ns, view.trusting_ns, tip.time_ns)

    def _lifetime_elsewhere(self) -> Lifetime | None:
        """Return a lifetime that goes on, by one of the nodes; report the difference to the others.

        All are asked, since the time of a tip may be another node's than the last that answered. Neither the
        client's state nor the time is proven: a false "active" would put honest nodes last.
        """
        opinions = self.host.extras.opinions
        found, deniers = None, list[str]()
        for node in () if opinions is None else opinions.nodes():
            with suppress(errors.RelayerError):
                lifetime = self._lifetime_by(node)
                if lifetime.is_over:
                    deniers.append(node.name)
                else:
                    found = found or lifetime
        if opinions is not None and found is not None:
            for name in deniers:
                opinions.differs(name, self._differing("expired"))
        return found

    def _lifetime_by(self, node: OtherNode) -> Lifetime:
        _, view = self._active_state_by(node.get)
        return self._lifetime(view, self._consensus_state(view.latest, node.get), node.tip())

    def _mismatch(self, reason: str) -> errors.WrongCounterparty:
        return errors.WrongCounterparty(self.host.chain_id, self.client_id, reason)

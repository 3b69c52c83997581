"""A light client on one chain that tracks another: the updates it needs, and when it must be refreshed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from ibc_core import paths
from ibc_core.any_message import AnyMessage
from ibc_core.client.update import MsgUpdateClient
from ibc_core.errors import IbcError
from ibc_core.height import Height
from ibc_core.numbers import MAX_I64
from ibc_core.wire.anys import decode_any
from ibc_core.wire.message import pack_msg
from ibc_relayer.conventions import OutlivesBlocks, ProvesToClients, ReadsAhead, convention_of
from ibc_relayer.driver import ClientDriver, ClientView, Difference, Drivers
from ibc_relayer.endpoint import ChainEndpoint, Proven
from ibc_relayer.errors import (
    ClientUnusable,
    EndpointRefused,
    NodeBehind,
    RelayerError,
    TransactionFailed,
    WrongCounterparty,
)
from ibc_relayer.proofs import Proofs, ProvesAhead
from ibc_relayer.submission import lacks_trust, refusal, send
from ibc_relayer.tendermint import DRIVERS

_V = TypeVar("_V")

LAG = 20
"""Blocks that a node may be behind what a client knows; a client further ahead follows another chain."""
NEVER = MAX_I64
"""When a client that never expires is due for a refresh, unix nanoseconds."""


class _ByDriver:
    """A chain's state as a driver proves it."""

    def __init__(self, driver: ProvesToClients, reference: ChainEndpoint) -> None:
        self._driver, self._reference = driver, reference

    def prove_many(self, keys: Sequence[bytes], height: int) -> list[Proven | RelayerError]:
        """Each key's entry."""
        return self._driver.prove_many(self._reference, keys, height)


class ForeignClient:
    """The client on `host` that tracks the chain `reference`."""

    def __init__(
        self, host: ChainEndpoint, reference: ChainEndpoint, client_id: str, drivers: Drivers = DRIVERS
    ) -> None:
        """Nothing is read before a method is called. `drivers`: the supported client types."""
        self.host = host
        self.reference = reference
        self.client_id = client_id
        self._found = drivers.find(client_id)
        self.convention = convention_of(self._found)
        self._foreseen: tuple[int, tuple[AnyMessage, ClientView]] | None = (
            None  # a tip, and the client for it
        )

    def view(self) -> ClientView:
        """The client state after the host's last block.

        Raises:
            WrongCounterparty: there is no such client, or its type is not supported.
        """
        return self._view(self._state())

    def check(self, *, is_chosen: bool = False) -> ClientView:
        """Checks that the client is active and tracks the reference chain, not another of the same chain id.

        Compares its latest consensus state with the reference chain's header of that height (hermes#1038).

        Args:
            is_chosen: somebody said that it is this one, or we made it. Then it may be older than all blocks
                of the reference's node, if it trusts the validators of the last one: it can be updated.

        Raises:
            WrongCounterparty: it tracks another chain.
            ClientUnusable: it is frozen or expired.
            NodeBehind: the reference's node lags a little behind the client.
            EndpointRefused: the reference's node has pruned that header.
        """
        _, view = self._usable()  # a frozen client may hold the header of a fork
        latest = view.latest.revision_height
        if view.chain_id != self.reference.chain_id or view.latest != self._height(latest):
            raise self._wrong(f"tracks {view.chain_id[:64]!r} at {view.latest}")
        held, last = self._held(view.latest), self.reference.tip().height
        if last < latest <= last + LAG:
            reason = f"its last block is {last}, {self.client_id} of {self.host.chain_id} has header {latest}"
            raise NodeBehind(self.reference.chain_id, reason)
        if latest > last or not self._follows(held, latest, last if is_chosen else None):
            raise self._wrong(f"holds another header {view.latest} than {self.reference.chain_id}")
        self._require_alive(view, held)
        return view

    def differences(self) -> Sequence[Difference]:
        """The terms that its driver would not have given it.

        Raises:
            WrongCounterparty: there is no such client, or its type is not supported.
        """
        state, driver = self._state(), self._driver
        return self._decoded(lambda: driver.differences(state, self.reference))

    def holds_own(self, height: Height) -> bool:
        """Whether its consensus state of `height` is that of the reference chain's own header.

        Raises:
            WrongCounterparty: it has none, or none that can be decoded.
            EndpointRefused: the reference's node has pruned that block.
        """
        if height != self._height(height.revision_height):
            return False
        return self._is_own(self._held(height), height.revision_height)

    def due_ns(self) -> int:
        """Host time, unix nanoseconds, from which the client should be refreshed.

        Two thirds of the trusting period after its latest consensus state; `NEVER` if it does not expire.

        Raises:
            ClientUnusable: the client is expired or frozen.
        """
        view = self.view()
        time_ns = self._require_alive(view, self._held(view.latest))
        return time_ns + view.trusting_ns * 2 // 3 if view.trusting_ns else NEVER

    def build_updates(self, tip: int) -> tuple[int, list[AnyMessage]]:
        """The height to prove at, `tip` or the client's latest height if above, and the updates to it.

        More than one update if the client does not trust the newest header without others in between; none if
        its latest height is not below `tip`.

        Raises:
            ClientUnusable: the client is frozen.
        """
        state, view = self._state_for(tip)
        return max(tip, view.latest.revision_height), list(self._updates(state, tip, tip))

    @property
    def needs_headers_alone(self) -> bool:
        """Whether it can be updated to a header whose block the reference chain has not executed yet."""
        return isinstance(self._found, ReadsAhead)

    def read_ahead(self, tip: int) -> None:
        """Has the reference's endpoint ask for what an update to `tip` needs; it only saves time."""
        driver = self._driver
        if isinstance(driver, ReadsAhead):
            driver.read_ahead(self.reference, tip)

    def prove_ahead(self, height: int, keys: Sequence[bytes]) -> None:
        """Has what an update to the next header, and `proofs`, will ask for fetched; it only saves time.

        The client's state may be an older one then: a header that it has is trusted as well as its last.
        """
        self._foreseen = height + 1, self._usable()
        if isinstance(self.reference, ProvesAhead):  # whatever the driver makes of it
            self.reference.prove_ahead(keys, height)

    def _state_for(self, tip: int) -> tuple[AnyMessage, ClientView]:
        """The client for an update to `tip`: as it was when that was foreseen, once, else as it is now."""
        # guard: a-state-is-used-again-and-again {=> foreseen = self._foreseen}
        #   test_an_update_that_was_foreseen_asks_for_no_state
        foreseen, self._foreseen = self._foreseen, None
        # guard: a-state-is-used-for-any-header drop:tip test_one_to_another_header_asks
        return foreseen[1] if foreseen is not None and foreseen[0] == tip else self._usable()

    def update_to(self, height: int) -> int:
        """Updates the client to `height` in transactions of their own; returns how many.

        Raises:
            TransactionFailed: the chain refuses the update.
            ClientUnusable: the client is frozen.
        """
        sent, max_step = 0, height
        while (update := next(self._updates(self._usable()[0], height, max_step), None)) is not None:
            outcome = send(self.host, [update])
            if outcome.code == 0:
                sent += 1
                continue
            gap = height - self.view().latest.revision_height
            if gap > 0 and (max_step == 1 or not lacks_trust(outcome)):
                what = f"the update of {self.client_id}"
                raise TransactionFailed(self.host.chain_id, what, refusal(outcome), outcome.log)
            max_step = max(1, min(gap, max_step) // 2)
        return sent

    def _updates(self, state: AnyMessage, height: int, max_step: int) -> Iterator[AnyMessage]:
        for header in self._driver.headers(state, self.reference, height, max_step):
            yield pack_msg(MsgUpdateClient(self.client_id, header, self.host.signer))

    def proofs(self, height: int, keys: Iterable[bytes]) -> Proofs:
        """Entries of the reference chain after block `height`, with proofs that the client takes."""
        driver = self._driver
        if isinstance(driver, ProvesToClients):
            return Proofs(_ByDriver(driver, self.reference), height, keys)
        return Proofs(self.reference, height, keys)

    def _height(self, height: int) -> Height:
        return self.convention.height(self.reference.chain_id, height)

    @property
    def _driver(self) -> ClientDriver:
        if self._found is None:
            raise self._wrong("no driver of clients of its type")
        return self._found

    def _state(self) -> AnyMessage:
        return self._stored(paths.client_state_path(self.client_id), "no such client")

    def _held(self, height: Height) -> AnyMessage:
        path = paths.consensus_state_path(self.client_id, height)
        return self._stored(path, f"holds no header at {height}")

    def _stored(self, path: bytes, missing: str) -> AnyMessage:
        raw = self.host.get(path)
        if raw is None:
            raise self._wrong(missing)
        try:
            return decode_any(raw)
        except IbcError as error:
            raise self._wrong(str(error)) from error

    def _usable(self) -> tuple[AnyMessage, ClientView]:
        state = self._state()
        view = self._view(state)
        if view.frozen:
            raise ClientUnusable(self.host.chain_id, self.client_id, "frozen")
        return state, view

    def _view(self, state: AnyMessage) -> ClientView:
        driver = self._driver
        return self._decoded(lambda: driver.view(state))

    def _is_own(self, held: AnyMessage, height: int) -> bool:
        driver = self._driver
        return self._decoded(lambda: driver.is_own(held, self.reference, height))

    def _follows(self, held: AnyMessage, height: int, last: int | None) -> bool:
        """Whether it holds the reference chain's own header, or, where that is pruned, will trust `last`."""
        driver = self._driver
        try:
            return self._is_own(held, height)
        except EndpointRefused:
            # guard: h225-a-client-older-than-all-blocks-is-unusable always
            #   test_h225_a_client_older_than_all_blocks_of_a_node_is_relayed_over
            if last is None or not isinstance(driver, OutlivesBlocks):
                raise
        return self._decoded(lambda: driver.trusts(held, self.reference, last))

    def _decoded(self, read: Callable[[], _V]) -> _V:
        try:
            return read()
        except RelayerError:
            raise
        except (ValueError, IbcError) as error:
            raise self._wrong(str(error)) from error

    def _require_alive(self, view: ClientView, held: AnyMessage) -> int:
        """The timestamp of the consensus state, unix nanoseconds."""
        if view.frozen:
            raise ClientUnusable(self.host.chain_id, self.client_id, "frozen")
        driver = self._driver
        time_ns = self._decoded(lambda: driver.time_of(held))
        if view.trusting_ns and self.host.tip().time_ns - time_ns >= view.trusting_ns:
            raise ClientUnusable(self.host.chain_id, self.client_id, "expired")
        return time_ns

    def _wrong(self, reason: str) -> WrongCounterparty:
        return WrongCounterparty(self.host.chain_id, self.client_id, reason)

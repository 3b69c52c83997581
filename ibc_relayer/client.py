"""A light client as its relayer tends it: which headers it needs, and when it needs one to stay alive."""

from collections.abc import Iterator

from ibc_core import paths
from ibc_core.any_message import AnyMessage
from ibc_core.client.update import MsgUpdateClient
from ibc_core.errors import IbcError
from ibc_core.height import Height
from ibc_core.numbers import MAX_I64
from ibc_core.wire.anys import decode_any
from ibc_core.wire.message import pack_msg
from ibc_relayer.driver import ClientDriver, ClientView, Drivers
from ibc_relayer.endpoint import ChainEndpoint, height_on
from ibc_relayer.errors import ClientUnusable, RelayerError, TransactionFailed, WrongCounterparty
from ibc_relayer.submission import lacks_trust, refusal, send
from ibc_relayer.tendermint import DRIVERS

NEVER = MAX_I64
"""When a client is due that lives for ever, unix nanoseconds."""


class TendedClient:
    """The client on `host` of the chain `target`."""

    def __init__(
        self, host: ChainEndpoint, target: ChainEndpoint, client_id: str, drivers: Drivers = DRIVERS
    ) -> None:
        """Nothing is read before a method is called. `drivers`: the types of clients that are known."""
        self.host = host
        self.target = target
        self.client_id = client_id
        self._found = drivers.find(client_id)

    def view(self) -> ClientView:
        """What the client's state says after the host's last block.

        Raises:
            WrongCounterparty: there is no such client, or it is of no type that we know.
        """
        return self._view(self._state())

    def check(self) -> ClientView:
        """Makes sure that the client is alive and tracks the target itself, not a chain of its name.

        Compares what the client holds with the target's own header of that height (hermes#1038).

        Raises:
            WrongCounterparty: it tracks another chain.
            ClientUnusable: it is frozen or expired.
        """
        _, view = self._usable()  # a frozen one may well hold a header of a fork
        latest = view.latest.revision_height
        if view.chain_id != self.target.chain_id or view.latest != height_on(view.chain_id, latest):
            raise self._wrong(f"tracks {view.chain_id[:64]!r} at {view.latest}")
        held = self._held(view.latest)
        if latest > self.target.tip().height or not self._is_own(held, latest):
            raise self._wrong(f"holds another header {view.latest} than {self.target.chain_id}")
        self._require_alive(view, held)
        return view

    def due_ns(self) -> int:
        """Host time, unix nanoseconds, from which the client wants a header to stay alive.

        That is when two thirds of the trusting period have passed since the newest one; `NEVER` where the
        client has none.

        Raises:
            ClientUnusable: all of it has passed, or the client is frozen.
        """
        view = self.view()
        time_ns = self._require_alive(view, self._held(view.latest))
        return time_ns + view.trusting_ns * 2 // 3 if view.trusting_ns else NEVER

    def headers_to(self, tip: int) -> tuple[int, list[AnyMessage]]:
        """The height to prove at, `tip` or what the client has beyond it, and the updates that lead there.

        More than one update where the newest header convinces the client by way of others only. None where
        the client holds the header already.

        Raises:
            ClientUnusable: the client is frozen.
        """
        state, view = self._usable()
        return max(tip, view.latest.revision_height), list(self._updates(state, tip, tip))

    def bring_to(self, height: int) -> int:
        """Updates the client to `height` by transactions of their own; returns how many there were.

        Raises:
            TransactionFailed: the chain refuses the update.
            ClientUnusable: the client is frozen.
        """
        sent, widest = 0, height
        while (update := next(self._updates(self._usable()[0], height, widest), None)) is not None:
            outcome = send(self.host, [update])
            if outcome.code == 0:
                sent += 1
                continue
            gap = height - self.view().latest.revision_height
            if gap > 0 and (widest == 1 or not lacks_trust(outcome)):
                what = f"the update of {self.client_id}"
                raise TransactionFailed(self.host.chain_id, what, refusal(outcome), outcome.log)
            widest = max(1, min(gap, widest) // 2)
        return sent

    def _updates(self, state: AnyMessage, height: int, widest: int) -> Iterator[AnyMessage]:
        for header in self._driver.headers(state, self.target, height, widest):
            yield pack_msg(MsgUpdateClient(self.client_id, header, self.host.signer))

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
        try:
            return driver.view(state)
        except (ValueError, IbcError) as error:
            raise self._wrong(str(error)) from error

    def _is_own(self, held: AnyMessage, height: int) -> bool:
        try:
            return self._driver.is_own(held, self.target, height)
        except RelayerError:
            raise
        except (ValueError, IbcError) as error:
            raise self._wrong(str(error)) from error

    def _require_alive(self, view: ClientView, held: AnyMessage) -> int:
        """The time of what the client holds, unix nanoseconds."""
        if view.frozen:
            raise ClientUnusable(self.host.chain_id, self.client_id, "frozen")
        try:
            time_ns = self._driver.time_of(held)
        except (ValueError, IbcError) as error:
            raise self._wrong(str(error)) from error
        if view.trusting_ns and self.host.tip().time_ns - time_ns >= view.trusting_ns:
            raise ClientUnusable(self.host.chain_id, self.client_id, "expired")
        return time_ns

    def _wrong(self, reason: str) -> WrongCounterparty:
        return WrongCounterparty(self.host.chain_id, self.client_id, reason)

"""A light client as its relayer tends it: which headers it needs, and when it needs one to stay alive."""

from collections.abc import Iterator

from ibc_core import paths
from ibc_core.any_message import AnyMessage
from ibc_core.client.update import MsgUpdateClient
from ibc_core.height import Height
from ibc_core.wire.message import pack_msg
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import ClientUnusable, TransactionFailed, WrongCounterparty
from ibc_relayer.submission import lacks_trust, refusal, send
from ibc_relayer.tendermint import (
    ClientView,
    ConsensusView,
    client_header,
    header_view,
    height_on,
    is_trusted,
    read_client_state,
    read_consensus_state,
)


class TendedClient:
    """The client on `host` of the chain `target`."""

    def __init__(self, host: ChainEndpoint, target: ChainEndpoint, client_id: str) -> None:
        """Nothing is read before a method is called."""
        self.host = host
        self.target = target
        self.client_id = client_id

    def view(self) -> ClientView:
        """The client's state after the host's last block.

        Raises:
            WrongCounterparty: there is no such client, or it is not a tendermint client.
        """
        raw = self.host.get(paths.client_state_path(self.client_id))
        if raw is None:
            raise self._wrong("no such client")
        try:
            return read_client_state(raw)
        except ValueError as error:
            raise self._wrong(str(error)) from error

    def check(self) -> ClientView:
        """Makes sure that the client is alive and tracks the target itself, not a chain of its name.

        Compares what the client holds with the target's own header of that height (hermes#1038).

        Raises:
            WrongCounterparty: it tracks another chain.
            ClientUnusable: it is frozen or expired.
        """
        view = self._usable()  # a frozen one may well hold a header of a fork
        latest = view.latest.revision_height
        if view.chain_id != self.target.chain_id or view.latest != height_on(view.chain_id, latest):
            raise self._wrong(f"tracks {view.chain_id[:64]!r} at {view.latest}")
        held = self._held(view.latest)
        if latest > self.target.tip().height or header_view(self.target.light_block(latest)) != held:
            raise self._wrong(f"holds another header {view.latest} than {self.target.chain_id}")
        self._require_alive(view, held, self.host.tip().time_ns)
        return view

    def due_ns(self) -> int:
        """Host time, unix nanoseconds, from which the client wants a header to stay alive.

        That is when two thirds of the trusting period have passed since the newest one.

        Raises:
            ClientUnusable: all of it has passed, or the client is frozen.
        """
        view = self.view()
        held = self._held(view.latest)
        self._require_alive(view, held, self.host.tip().time_ns)
        return held.time_ns + view.trusting_ns * 2 // 3

    def headers_to(self, tip: int) -> tuple[int, list[AnyMessage]]:
        """The height to prove at, `tip` or what the client has beyond it, and the updates that lead there.

        More than one update where too few of the trusted validators signed the newest header: then
        headers in between lead there (bisection). None where the client holds the header already.

        Raises:
            ClientUnusable: the client is frozen.
        """
        view = self._usable()
        latest = view.latest.revision_height
        return max(tip, latest), list(self._updates(view, tip, tip))

    def bring_to(self, height: int) -> int:
        """Updates the client to `height` by transactions of their own; returns how many there were.

        Raises:
            TransactionFailed: the chain refuses the update.
            ClientUnusable: the client is frozen.
        """
        sent, widest = 0, height
        while (update := next(self._updates(self._usable(), height, widest), None)) is not None:
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

    def _updates(self, view: ClientView, height: int, widest: int) -> Iterator[AnyMessage]:
        trusted = view.latest.revision_height
        while trusted < height:
            step = self._step(view, trusted, min(height, trusted + widest))
            header = client_header(
                self.target.light_block(step), self.target.light_block(trusted + 1), self.target.chain_id
            )
            yield pack_msg(MsgUpdateClient(self.client_id, header, self.host.signer))
            trusted = step

    def _step(self, view: ClientView, trusted: int, step: int) -> int:
        """The highest header that the validators above `trusted` vouch for, by halving the way."""
        above = self.target.light_block(trusted + 1)
        while step > trusted + 1 and not is_trusted(self.target.light_block(step), above, view.trust_level):
            step = trusted + (step - trusted) // 2
        return step

    def _usable(self) -> ClientView:
        view = self.view()
        if view.frozen:
            raise ClientUnusable(self.host.chain_id, self.client_id, "frozen")
        return view

    def _held(self, height: Height) -> ConsensusView:
        raw = self.host.get(paths.consensus_state_path(self.client_id, height))
        if raw is None:
            raise self._wrong(f"holds no header at {height}")
        try:
            return read_consensus_state(raw)
        except ValueError as error:
            raise self._wrong(str(error)) from error

    def _require_alive(self, view: ClientView, held: ConsensusView, now_ns: int) -> None:
        if view.frozen:
            raise ClientUnusable(self.host.chain_id, self.client_id, "frozen")
        if now_ns - held.time_ns >= view.trusting_ns:
            raise ClientUnusable(self.host.chain_id, self.client_id, "expired")

    def _wrong(self, reason: str) -> WrongCounterparty:
        return WrongCounterparty(self.host.chain_id, self.client_id, reason)

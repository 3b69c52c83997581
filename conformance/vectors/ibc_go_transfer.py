"""ibc-go's model-based cases of ICS-20, from TLA+: a packet, a handler, and the changes in the bank.

The chain under test is B, with channel-0 to A and channel-1 to C. The cases of a file are run in sequence on
one chain. An address of the model stands for the first 20 bytes of the SHA-256 of its text.
"""

from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from conformance.case import Cases, Mismatch, expect, is_object, refusal
from conformance.files import json_in
from conformance.memory import MemoryStore
from conformance.memory_bank import MemoryBank
from pyibc.apps.transfer import packet_data, state
from pyibc.apps.transfer.app import TransferApp
from pyibc.apps.transfer.coins import CoinMover, TransferKeeper
from pyibc.apps.transfer.denom import parse_denom
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.apps.transfer.msg_server import Senders, TransferHandler
from pyibc.core.address import Address, AddressCodec, module_address
from pyibc.core.application.classic import Acknowledged, Received, TimedOut
from pyibc.core.errors import IbcError, InvalidDenomForTransfer, LogicFault
from pyibc.core.height import Height
from pyibc.core.host.context import WriteContext
from pyibc.core.host.overlay import BlockContext
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet.types import Packet
from pyibc.core.paths import channel_path

_Json = dict[str, Any]
_ADDRESSES = AddressCodec("cosmos")
_RELAYER = _ADDRESSES.encode(bytes(20))
_TIMEOUT = Height(1, 100)
_ERROR = acks.failure(LogicFault("model"))


def cases_of(path: Path) -> Cases | None:
    """Return the cases of a file of model-based ICS-20 tests; None for any other file."""
    cases = json_in(path)
    is_model = (
        isinstance(cases, list)
        and bool(cases)
        and all(is_object(each, "handler", "bankAfter") for each in cases)
    )
    return _on_one_chain(cases) if is_model else None


def _on_one_chain(cases: list[_Json]) -> Cases:
    chain = _ChainB()
    for number, case in enumerate(cases, 1):
        yield f"{number} {case['handler']}", partial(chain.run, case)


class _NoCore:
    """Accepts the application's packets without sending them."""

    def send_packet(
        self,
        ctx: WriteContext,  # noqa: ARG002
        port_id: str,  # noqa: ARG002
        channel_id: str,  # noqa: ARG002
        timeout_height_on_b: Height,  # noqa: ARG002
        timeout_ns_on_b: int,  # noqa: ARG002
        data: bytes,
    ) -> int:
        """Check that the packet can be read."""
        packet_data.decode(data)
        return 1

    def write_acknowledgement(self, *_: object, **__: object) -> None:
        """Fail: ICS-20 acknowledges synchronously."""
        raise LogicFault("ICS-20 wrote an acknowledgement late")

    def close_channel(self, *_: object, **__: object) -> None:
        """Fail: ICS-20 closes no channels."""
        raise LogicFault("ICS-20 closed a channel")


class _NoCoreV2:
    """Stand-in for IBC v2, which the model does not cover."""

    def send_packet(self, *_: object, **__: object) -> int:
        """Fail."""
        raise LogicFault("ICS-20 sent a packet over a client")

    def write_acknowledgement(self, *_: object, **__: object) -> None:
        """Fail: ICS-20 acknowledges synchronously."""
        raise LogicFault("ICS-20 wrote an acknowledgement late")


class _ChainB:
    """Chain B during the cases of one file."""

    def __init__(self) -> None:
        channels = {channel_path("transfer", f"channel-{n}"): b"\x01" for n in (0, 1)}
        self._ctx = BlockContext("chain-b-1", 1, 1, {"ibc": MemoryStore(channels), "transfer": MemoryStore()})
        state.set_params(self._ctx, state.Params())
        self._bank = MemoryBank()
        coins = CoinMover(self._bank, _ADDRESSES, _ADDRESSES.encode(module_address("transfer")))
        keeper = TransferKeeper(coins, self._bank, _ADDRESSES)
        self._app = TransferApp(keeper)
        senders = Senders(_NoCore(), _NoCoreV2())
        self._message = TransferHandler(coins, self._bank, keeper, senders, _ADDRESSES)
        self._handlers: dict[str, Callable[[Packet], None]] = {
            "OnRecvPacket": self._recv,
            "OnTimeoutPacket": self._timeout,
            "OnRecvAcknowledgementResult": self._acknowledge_result,
            "OnRecvAcknowledgementError": partial(self._acknowledge, _ERROR),
            "SendTransfer": self._send,
        }

    def run(self, case: _Json) -> None:
        """Run one case.

        Raises:
            Mismatch: it failed unexpectedly, or the bank changed differently.
        """
        before = dict(self._bank.balances)
        try:
            with self._ctx.branch():
                self._act(case["handler"], case["packet"])
        except IbcError as error:
            self._bank.balances = before
            if not case["error"]:
                raise Mismatch(f"refused: {error}") from error
            return
        as_expected = _changes(before, self._bank.balances) == _changes(
            _balances(case["bankBefore"]), _balances(case["bankAfter"])
        )
        expect(as_expected, not case["error"])

    def _act(self, handler: str, model: _Json) -> None:
        data = model["data"]
        sender, receiver = (_address(["", "", data[party]]) for party in ("sender", "receiver"))
        denom = parse_denom(_path(data["denom"]))
        raw = packet_data.encode(packet_data.make(denom, int(data["amount"]), sender.text, receiver.text, ""))
        packet = Packet(
            sequence=1,
            port_id_on_a=model["sourcePort"],
            channel_id_on_a=model["sourceChannel"],
            port_id_on_b=model["destPort"],
            channel_id_on_b=model["destChannel"],
            data=raw,
            timeout_height_on_b=_TIMEOUT,
            timeout_ns_on_b=0,
        )
        packet.validate_basic()
        if handler != "OnRecvPacket":
            state.add_denom(self._ctx, denom)
        self._handlers[handler](packet)

    def _recv(self, packet: Packet) -> None:
        answer = self._app.on_recv_packet(self._ctx, Received(packet_data.VERSION, packet, _RELAYER))
        if not answer.success:
            raise LogicFault(answer.data.decode())  # the handler reverts the application's writes

    def _timeout(self, packet: Packet) -> None:
        self._app.on_timeout_packet(self._ctx, TimedOut(packet_data.VERSION, packet, _RELAYER))

    def _acknowledge(self, answer: bytes, packet: Packet) -> None:
        acknowledged = Acknowledged(packet_data.VERSION, packet, answer, _RELAYER)
        self._app.on_acknowledgement_packet(self._ctx, acknowledged)

    def _acknowledge_result(self, packet: Packet) -> None:
        """Acknowledge like ibc-go's keeper, which does not parse the data of a successful packet.

        The model has such packets with an empty denomination, which must change nothing.
        """
        if refusal(lambda: packet_data.decode(packet.data)) != InvalidDenomForTransfer.__name__:
            self._acknowledge(b'{"result":null}', packet)

    def _send(self, packet: Packet) -> None:
        data = packet_data.decode(packet.data)
        message = MsgTransfer(
            packet.port_id_on_a,
            packet.channel_id_on_a,
            data.denom.coin_denom,
            data.amount_text,
            data.sender,
            data.receiver,
            _TIMEOUT,
            0,
            "",
        )
        self._message.execute(self._ctx, self._message.validate(self._ctx, message))


def _address(parts: list[str]) -> Address:
    """Convert an address: `[port, channel, ""]` is an escrow account, `["", "", id]` a plain one."""
    port_id, channel_id, name = parts
    text = f"ics20-1\0{port_id}/{channel_id}" if port_id or channel_id else name
    return _ADDRESSES.encode(sha256(text.encode()).digest()[:20])


def _path(parts: list[str]) -> str:
    """Join hops and base denomination; leading empty pairs are not hops."""
    at = 0
    while at + 1 < len(parts) and not parts[at] and not parts[at + 1]:
        at += 2
    return "/".join(parts[at:])


def _balances(model: list[_Json]) -> dict[tuple[bytes, str], int]:
    found = {}
    for entry in model:
        path = _path(entry["denom"])
        if path or any(entry["address"]):  # the model's null coin
            found[_address(entry["address"]).raw, parse_denom(path).coin_denom] = entry["amount"]
    return found


def _changes(
    before: dict[tuple[bytes, str], int], after: dict[tuple[bytes, str], int]
) -> dict[tuple[bytes, str], int]:
    changes = {key: after.get(key, 0) - before.get(key, 0) for key in before.keys() | after.keys()}
    return {key: change for key, change in changes.items() if change}

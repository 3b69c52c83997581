"""A real chain and its reference model: every block runs on both, and the results are compared."""

from collections.abc import Callable
from typing import Any, NamedTuple

from google.protobuf.any_pb2 import Any as AnyProto

from conformance.kit.paired_chain import PairedChain
from conformance.kit.scripted_app_v2 import ScriptedPluginV2
from conformance.model.channels import ChannelChain
from conformance.model.messages import packet_of
from conformance.model.messages_v2 import DatagramsV2
from conformance.model.reference import Packet, Place, State
from conformance.model.v2 import ClientChain, PacketV2
from conformance.model.view import real_answer, view_of_chain, view_of_model
from localnet.endpoint import GAS_PER_MESSAGE
from pyibc.codec.anys import AnyMessage
from pyibc.core import errors
from pyibc.core.coin import coin
from pyibc.core.errors import IbcError
from pyibc.core.height import Height
from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.core.host.context import WriteContext
from pyibc.proto.cosmos.base.abci.v1beta1 import abci_pb2
from pyibc.relayer.money.wallet import Wallet
from pyibc.testing.pair import SECOND

FUNDS = 1_000
TRUSTING_S = 3_600
NOOP = b"\x08\x01"
_SENDERS = ("MsgTransferResponse", "MsgSendPacketResponse")

Call = tuple[str, tuple[Any, ...]]
"""A method of the model, with its arguments."""


class ReferenceChain(ChannelChain, ClientChain):
    """The model of one chain."""


class PendingTx(NamedTuple):
    """A transaction for the next block."""

    wallet: Wallet
    calls: tuple[Call, ...]
    messages: tuple[AnyMessage, ...]


class Twin:
    """A real chain and its model.

    Two accounts send transactions: the relayer, who created the client, and a user, who holds coins and
    relays as well.
    """

    def __init__(self, chain_id: str, clock: Callable[[], int], native: str) -> None:
        calls: list[str] = []
        self.v2 = ScriptedPluginV2(calls)
        self.side = PairedChain(chain_id, clock, [coin(native, FUNDS)], extra=[self.v2])
        self.side.app.calls = calls
        self.native = native
        self.people = (self.side.relayer.wallet, self.side.user.wallet)
        self.waiting: list[PendingTx] = []
        self.acting: list[Call] = []
        self.packets: list[Packet] = []
        """Packets sent by this chain, in order; likewise `packets_v2`."""
        self.packets_v2: list[PacketV2] = []

    model: ReferenceChain
    datagrams: DatagramsV2

    def adopt(self, client_id: str, connections: dict[str, tuple[str, int]]) -> None:
        """Initialise the model with the state of the real chain."""
        chain, (relayer, user) = self.side.chain, self.people
        self.side.client_id = client_id
        self.model = model = ReferenceChain(client_id, TRUSTING_S * SECOND, user.address.text)
        model.creator, model.connections = relayer.address.text, connections
        model.state.coins[model.user, self.native] = FUNDS
        heights = range(1, chain.height + 1)
        model.past = {height: (chain.record(height).header.time_ns, State()) for height in heights}
        model.state.seen = _seen(self.side)

    # -- content of the next block

    def tell(self, person: int, *calls: Call) -> None:
        """Add an account's transaction, with proofs as of now, to the next block."""
        signer = self.people[person].address.text
        messages = tuple(self.datagrams.build(signer, name, arguments) for name, arguments in calls)
        self.waiting.append(PendingTx(self.people[person], calls, messages))

    def is_free(self, person: int) -> bool:
        """Return whether an account has no transaction in the next block yet."""
        return all(told.wallet is not self.people[person] for told in self.waiting)

    def act(self, call: Call) -> None:
        """Add an application's action to the beginning of the next block."""
        self.acting.append(call)

    def block(self) -> CommittedBlock:
        """Run the next block on both.

        Raises:
            AssertionError: the real chain and the model differ.
        """
        waiting, acting = self.waiting, self.acting
        self.waiting, self.acting = [], []
        done: list[str] = []
        self.side.scripted.at_begin.append(lambda ctx: done.extend(self._try(ctx, call) for call in acting))
        block = self.side.chain.make_block([self._sign(told) for told in waiting])
        self.model.begin(block.height, block.time_ns)
        expected = [self._run("", call) for call in acting]
        results = [[result] for result in done]
        for told, outcome in zip(waiting, block.txs, strict=True):
            expected.append(self._run(told.wallet.address.text, *told.calls))
            results.append(_results(outcome))
        calls = [[call] for call in acting] + [list(told.calls) for told in waiting]
        self._compare(calls, results, expected)
        return block

    # -- internals

    def _run(self, signer: str, *calls: Call) -> list[str]:
        """Run calls on the model, and record the packets that they sent."""
        state = self.model.state
        before = dict(state.send)
        results = self.model.transact(signer, *calls)
        for place, number in self.model.state.send.items():
            for sequence in range(before.get(place, 1), number):
                self._remember(place, sequence)
        return results

    def _remember(self, place: Place | str, sequence: int) -> None:
        promise = self.model.state.commitments[place, sequence]
        if isinstance(place, str):
            self.packets_v2.append(PacketV2(sequence, place, *promise))
        else:
            self.packets.append(Packet(sequence, place, self.model.state.ends[place].far, *promise))

    def _try(self, ctx: WriteContext, call: Call) -> str:
        """Run a call on the real chain, inside the block."""
        name, arguments = call
        act: dict[str, Callable[..., Any]] = {
            "send_packet": self._send,
            "answer": lambda packet, raw: self.side.core.write_acknowledgement(ctx, packet_of(packet), raw),
            "close": lambda place: self.side.core.close_channel(ctx, *place),
            "answer_v2": lambda client, sequence, raw: self.v2.sender.write_acknowledgement(
                ctx, client, sequence, (real_answer(raw),)
            ),
        }
        try:
            with ctx.branch():
                act[name](*((ctx, *arguments) if name == "send_packet" else arguments))
        except IbcError as error:
            return _code(error.codespace, error.code)
        return "ok"

    def _send(self, ctx: WriteContext, place: Place, data: bytes, until_height: int, until_ns: int) -> None:
        until = Height(1 if until_height else 0, until_height)
        self.side.core.send_packet(ctx, *place, until, until_ns, data)

    def _sign(self, told: PendingTx) -> bytes:
        account = self.side.chain.app.pending_account(told.wallet.address.raw)
        if account is None:
            raise AssertionError(f"{told.wallet} has no account")
        return told.wallet.sign_tx(
            told.messages,
            chain_id=self.side.chain.chain_id,
            account_number=account.number,
            sequence=account.sequence,
            gas_limit=GAS_PER_MESSAGE * len(told.messages),
        )

    def _compare(self, calls: list[list[Call]], results: list[list[str]], expected: list[list[str]]) -> None:
        for told, result, wanted in zip(calls, results, expected, strict=True):
            named = [_as_code(name) for name in wanted]
            if result != named:
                raise AssertionError(f"{told}: the chain says {result}, the model {wanted}")
        if self.side.app.calls != self.model.calls:
            raise AssertionError(f"callbacks {self.side.app.calls}, the model {self.model.calls}")
        real, model = view_of_chain(self.side), view_of_model(self.model)
        if real != model:
            differ = sorted(key for key in real.keys() | model.keys() if real.get(key) != model.get(key))
            shown = [
                f"{key!r}: {real.get(key)} on the chain, {model.get(key)} in the model" for key in differ
            ]
            raise AssertionError(f"after {calls}: " + "; ".join(shown))


def _results(outcome: TxOutcome) -> list[str]:
    """Return each message's result, or the code of the refusal."""
    if outcome.code:
        return [_code(outcome.codespace, outcome.code)]
    responses = abci_pb2.TxMsgData.FromString(outcome.data).msg_responses
    return ["noop" if _is_noop(response) else "ok" for response in responses]


def _is_noop(response: AnyProto) -> bool:
    """Return whether a response is NOOP; responses of senders have a sequence in that field."""
    return response.value == NOOP and not response.type_url.endswith(_SENDERS)


def _as_code(name: str) -> str:
    """Return the codespace and code, or response, of a result of the model."""
    if name in {"ok", "noop"}:
        return name
    error: type[IbcError] = getattr(errors, name)
    return _code(error.codespace, error.code)


def _code(codespace: str, code: int) -> str:
    return f"{codespace}/{code}"


def _seen(side: PairedChain) -> dict[int, tuple[int, int]]:
    """Return the headers that the real client knows."""
    ctx, suffix = side.chain.app.query_context(), b"/processedTime"
    below = f"clients/{side.client_id}/consensusStates/1-".encode()
    found = {}
    for key, time in ctx.ibc.iterate(below, below + b"\xff"):
        if key.endswith(suffix):
            height = ctx.ibc.get(key.removesuffix(suffix) + b"/processedHeight") or b""
            number = int(key.removesuffix(suffix).removeprefix(below))
            found[number] = (int(height.removeprefix(b"1-")), int.from_bytes(time, "big"))
    return found

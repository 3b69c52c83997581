"""A transcript of blocks of applications' packets, for pyibc and ibc-go's testing application.

Two chains, whose transfer stack is rate limits over forwarding over ICS-20. Each block is full of one kind of
message, proven at one height, as relayed to a busy chain. Labels say which messages are measured, in the form
that `benchmarks.message_costs` reads.
"""

from collections.abc import Sequence
from typing import Any

from benchmarks.packets_world import past_entries
from conformance.kit.encode import to_any
from conformance.walks import genesis, prover, view
from conformance.walks.chain import Block, Transaction, WalkChain
from conformance.walks.choices import Choices, stream
from conformance.walks.moves import Move, channels
from conformance.walks.moves.accounts import payment
from conformance.walks.prover import Prover
from conformance.walks.walk import OPENING_MOVES
from conformance.walks.world import World
from pyibc.apps.gmp.messages import MsgSendCall
from pyibc.apps.gmp.packet_data import AccountIdentifier
from pyibc.apps.interchain_accounts.messages import MsgRegisterInterchainAccount, MsgSendTx
from pyibc.apps.interchain_accounts.packet_data import (
    EXECUTE_TX,
    PROTO3,
    InterchainAccountPacketData,
    decode_metadata,
)
from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.core import paths
from pyibc.core.channel.messages import MsgChannelOpenInit
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.packet.messages import MsgAcknowledgement, MsgRecvPacket
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.messages import MsgAcknowledgementV2, MsgRecvPacketV2
from pyibc.relayer.interchain_tx import write_messages
from pyibc.relayer.packets.packets import commitment_key
from pyibc.testing.pair import SECOND

PER_BLOCK, BLOCKS, KEYS = 100, 3, 100_000
TRANSFER, FORWARDED = "transfer under the full stack", "forwarded packet"
ACCOUNT, CALL = "interchain account", "GMP call"
KINDS = (TRANSFER, FORWARDED, ACCOUNT, CALL)
CONNECTION, CLIENT = "connection-0", "07-tendermint-0"

_REST: tuple[tuple[int, Move], ...] = (
    (1, channels.open_try),
    (0, channels.open_ack),
    (1, channels.open_confirm),
)


class Traffic:
    """Two chains with channels between them, and blocks of packets of every application."""

    def __init__(self, keys: int) -> None:
        """Open channels for transfers and an account, and clients for calls; `keys` of the past."""
        self.world = World(Choices(stream("traffic")), "traffic", tuple(past_entries(keys)))
        self.a, self.b = self.world.chains
        for chain in self.world.chains:
            self.world.run(chain)
        self._make(OPENING_MOVES)
        for _ in range(2):
            other = ChannelCounterparty(packet_data.PORT_ID, "")
            end = ChannelEnd(ChannelState.INIT, Order.UNORDERED, other, (CONNECTION,), packet_data.VERSION)
            self._open(MsgChannelOpenInit(packet_data.PORT_ID, end, self.world.relayer))
        self.there, self.back = (
            e.channel_id for e in view.channels(self.a) if e.port_id == packet_data.PORT_ID
        )
        self.alice, self.bob = self.world.people["alice"], self.world.people["bob"]
        self._open(MsgRegisterInterchainAccount(self.alice, CONNECTION, "", Order.UNORDERED))
        version = next(
            each.end.version for each in view.channels(self.a) if each.port_id != packet_data.PORT_ID
        )
        raw = AccountIdentifier(CLIENT, self.alice, b"salt").address
        self.account, self.caller = decode_metadata(version).address, genesis.ADDRESSES.encode(raw).text
        for each in (self.account, self.caller):
            self.world.send(self.b, payment(self.bob, each, 10**9))

    def _make(self, moves: Sequence[tuple[int, Move]]) -> None:
        for place, move in moves:
            chain = self.world.chains[place]
            self.world.send(chain, *(move(self.world, chain) or ()))

    def _open(self, first: MsgChannelOpenInit | MsgRegisterInterchainAccount) -> None:
        self.world.send(self.a, first)
        self._make(_REST)

    def document(self, blocks: int = BLOCKS) -> dict[str, Any]:
        """Return the transcript of so many blocks of every kind."""
        for _ in range(blocks):
            self._transfers()
            self._forwarded()
            self._accounts()
            self._calls()
        return {
            "family": "blocks of applications' packets",
            "authority": genesis.AUTHORITY,
            "chains": [chain.start for chain in self.world.chains],
            "steps": self.world.steps,
        }

    # -- traffic

    def _transfers(self) -> None:
        self._block(self.a, f"{TRANSFER}, sent", [self._transfer(self.bob, "")] * PER_BLOCK)
        self._received(self.b, f"{TRANSFER}, received")
        self._acknowledged(self.a, f"{TRANSFER}, acknowledged")

    def _forwarded(self) -> None:
        hop = f'{{"receiver":"{self.bob}","port":"transfer","channel":"{self.back}"}}'
        memo = f'{{"forward":{hop}}}'
        self._block(self.a, f"{FORWARDED}, sent", [self._transfer("pfm", memo)] * PER_BLOCK)
        self._received(self.b, f"{FORWARDED}, received and sent on")
        self._received(self.a, f"{FORWARDED}, received at its end")
        self._acknowledged(self.b, f"{FORWARDED}, answered")
        self._acknowledged(self.a, f"{FORWARDED}, acknowledged")

    def _accounts(self) -> None:
        payload = write_messages([payment(self.account, self.bob, 1)], PROTO3)
        data = InterchainAccountPacketData(EXECUTE_TX, payload, "")
        message = MsgSendTx(self.alice, CONNECTION, data, 3600 * SECOND)
        self._block(self.a, f"{ACCOUNT}, sent", [message] * PER_BLOCK)
        self._received(self.b, f"{ACCOUNT}, executed")
        self._acknowledged(self.a, f"{ACCOUNT}, acknowledged")

    def _calls(self) -> None:
        payload = write_messages([payment(self.caller, self.bob, 1)], PROTO3)
        until = self.world.now_ns // SECOND + 3600
        message = MsgSendCall(CLIENT, self.alice, "", b"salt", payload, until, "")
        self._block(self.a, f"{CALL}, sent", [message] * PER_BLOCK)
        sent = self.world.packet_logs[self.a.name].sent_v2[-PER_BLOCK:]
        proofs, signer = self._proofs(self.b), self.world.relayer
        keys = [paths.packet_commitment_v2_path(CLIENT, each.sequence) for each in sent]
        brought = [
            MsgRecvPacketV2(each, proofs.proof(key), proofs.height, signer)
            for each, key in zip(sent, keys, strict=True)
        ]
        self._block(self.b, f"{CALL}, executed", brought)
        answers, proofs = self.world.packet_logs[self.b.name].answers_v2, self._proofs(self.a)
        keys = [paths.packet_acknowledgement_v2_path(CLIENT, each.sequence) for each in sent]
        told = [
            MsgAcknowledgementV2(
                each, answers[CLIENT, each.sequence], proofs.proof(key), proofs.height, signer
            )
            for each, key in zip(sent, keys, strict=True)
        ]
        self._block(self.a, f"{CALL}, acknowledged", told)

    def _transfer(self, receiver: str, memo: str) -> MsgTransfer:
        until = self.world.now_ns + 3600 * SECOND
        port = packet_data.PORT_ID
        return MsgTransfer(port, self.there, "stake", "3", self.alice, receiver, ZERO_HEIGHT, until, memo)

    def _received(self, chain: WalkChain, label: str) -> None:
        """Deliver to a chain the packets that the other one sent in its last busy block."""
        sent, proofs = self._sent(self.world.other(chain)), self._proofs(chain)
        signer = self.world.relayer
        self._block(
            chain,
            label,
            [MsgRecvPacket(each, proofs.proof(commitment_key(each)), proofs.height, signer) for each in sent],
        )

    def _acknowledged(self, chain: WalkChain, label: str) -> None:
        """Deliver to a chain the acknowledgements of its packets."""
        answers = self.world.packet_logs[self.world.other(chain).name].answers
        proofs, told = self._proofs(chain), []
        for each in self._sent(chain):
            place = each.port_id_on_b, each.channel_id_on_b, each.sequence
            proof = proofs.proof(paths.packet_acknowledgement_path(*place))
            told.append(MsgAcknowledgement(each, answers[place], proof, proofs.height, self.world.relayer))
        self._block(chain, label, told)

    def _sent(self, chain: WalkChain) -> list[Packet]:
        return self.world.packet_logs[chain.name].sent[-PER_BLOCK:]

    def _proofs(self, chain: WalkChain) -> Prover:
        """Return proofs of the other chain's newest state, after updating the client on `chain`."""
        far = self.world.other(chain)
        self.world.run(far)
        self.world.send(chain, prover.update(far, chain, CLIENT, self.world.relayer))
        return prover.stale(far, chain, CLIENT)

    def _block(self, chain: WalkChain, label: str, messages: Sequence[object]) -> Block:
        """Make a block with one message per transaction; each must succeed."""
        txs = [Transaction((to_any(each),), label) for each in messages]
        block = self.world.run(chain, txs)
        for told, result in zip(self.world.steps[-1]["txs"], block.results, strict=True):
            if result.error is not None:
                raise RuntimeError(f"{label}: {result.error}")
            told["label"] = label
        return block


def traffic() -> dict[str, Any]:
    """Return the transcript of blocks of every kind, between chains with a past."""
    return Traffic(KEYS).document()

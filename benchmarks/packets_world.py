"""Two chains with a past, and blocks of packet messages for them, for the packet benchmarks."""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256

from ibc_module import hookimpl
from ibc_module.plugin import Config
from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint
from localnet.settings import Genesis, funded
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.codec.anys import AnyMessage
from pyibc.core import paths
from pyibc.core.address import Address, AddressCodec
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.core.height import Height
from pyibc.core.host.context import WriteContext
from pyibc.core.packet.events import SEND_PACKET, WRITE_ACKNOWLEDGEMENT, read_packet_event
from pyibc.core.packet.messages import MsgAcknowledgement, MsgRecvPacket, MsgTimeout
from pyibc.core.packet.types import Packet
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.open_path import make_path

ADDRESSES = AddressCodec("cosmos")
MESSAGES_PER_TX = 100
TXS_PER_BLOCK = 10
PER_BLOCK = MESSAGES_PER_TX * TXS_PER_BLOCK
FAR = Height(1, 10**9)


def holder(number: int) -> Address:
    """Return an account without a known key."""
    return ADDRESSES.encode(sha256(b"holder %d" % number).digest()[:20])


def past_entries(keys: int) -> Iterator[tuple[bytes, bytes]]:
    """Return packet commitments of an unused channel."""
    for number in range(keys):
        path = paths.packet_commitment_path("transfer", "channel-9", number)
        yield path, sha256(path).digest()


class Past:
    """Plugin that adds `keys` entries to a store at genesis, as in an older chain."""

    def __init__(self, keys: int, store: str = paths.STORE_NAME) -> None:
        self._keys = keys
        self._store = store

    @hookimpl
    def chain_init_genesis(self, ctx: WriteContext) -> None:
        """Write `past_entries`."""
        store = ctx.store(self._store)
        for path, commitment in past_entries(self._keys):
            store.set(path, commitment)


class World:
    """Chains A and B, a path between them, and ready blocks of messages."""

    def __init__(
        self,
        keys: int = 100_000,
        balances: int = 50_000,
        users: int = TXS_PER_BLOCK,
        protocol: Callable[[], list[object]] = lambda: plugins(Config()),
    ) -> None:
        clock = StepClock()
        self.users = [Wallet.from_seed(f"user {n}", "cosmos") for n in range(users)]
        self.relayers = [Wallet.from_seed(f"relayer {n}", "cosmos") for n in range(users)]
        rich = [(w.address.text, [coin("stake", 10**15)]) for w in (*self.users, *self.relayers)]
        crowd = [(holder(n).text, [coin("stake", 7)]) for n in range(balances)]
        self._crowd = balances
        state = funded([*rich, *crowd])
        self.a, self.b = (
            LocalChain(name, plugins=[*protocol(), Past(keys)], genesis=Genesis(state), clock=clock)
            for name in ("alpha-1", "beta-1")
        )
        self.on_a = LocalEndpoint(self.a, self.relayers[0])
        self.on_b = LocalEndpoint(self.b, self.relayers[0])
        self.path = make_path(self.on_a, self.on_b, "transfer", Order.UNORDERED, "ics20-1")
        self._sent = 0

    # -- messages

    def transfers(self, count: int, timeout: Height = FAR) -> list[AnyMessage]:
        """Return `count` transfers from A, each to an account of B that never had a voucher."""
        made = []
        for n in range(count):
            user = self.users[n // MESSAGES_PER_TX % len(self.users)]
            receiver = holder((self._sent + n) % self._crowd).text
            channel = self.path.a.channel_id
            msg = MsgTransfer("transfer", channel, "stake", "1", user.address.text, receiver, timeout, 0, "")
            made.append(pack_msg(msg))
        self._sent += count
        return made

    def recvs(self, packets: Sequence[Packet]) -> list[AnyMessage]:
        """Return a MsgRecvPacket for each packet, all proven at A's last height."""
        height = self.update(self.on_b, self.on_a, self.path.b.client_id)
        made = []
        for n, packet in enumerate(packets):
            path = paths.packet_commitment_path("transfer", packet.channel_id_on_a, packet.sequence)
            proven = self.on_a.prove(path, height - 1)
            msg = MsgRecvPacket(packet, proven.proof, proven.height, self._relayer(n).address.text)
            made.append(pack_msg(msg))
        return made

    def acks(self, answered: Sequence[tuple[Packet, bytes]]) -> list[AnyMessage]:
        """Return a MsgAcknowledgement for each acknowledged packet, all proven at B's last height."""
        height = self.update(self.on_a, self.on_b, self.path.a.client_id)
        made = []
        for n, (packet, answer) in enumerate(answered):
            path = paths.packet_acknowledgement_path("transfer", packet.channel_id_on_b, packet.sequence)
            proven = self.on_b.prove(path, height - 1)
            signer = self._relayer(n).address.text
            msg = MsgAcknowledgement(packet, answer, proven.proof, proven.height, signer)
            made.append(pack_msg(msg))
        return made

    def timeouts(self, packets: Sequence[Packet]) -> list[AnyMessage]:
        """Return a MsgTimeout for each packet that B never received."""
        height = self.update(self.on_a, self.on_b, self.path.a.client_id)
        made = []
        for n, packet in enumerate(packets):
            path = paths.packet_receipt_path("transfer", packet.channel_id_on_b, packet.sequence)
            proven = self.on_b.prove(path, height - 1)
            msg = MsgTimeout(packet, proven.proof, proven.height, 1, self._relayer(n).address.text)
            made.append(pack_msg(msg))
        return made

    def _relayer(self, n: int) -> Wallet:
        return self.relayers[n // MESSAGES_PER_TX % len(self.relayers)]

    def update(self, host: LocalEndpoint, target: LocalEndpoint, client_id: str) -> int:
        """Update the client on `host` to the target's newest header; return its height."""
        target.chain.make_block([])
        client = ForeignClient(host, target, client_id)
        height, updates = client.build_updates(target.tip().height)
        host.submit(updates)
        return height

    # -- blocks

    def txs(
        self, chain: LocalChain, wallets: Sequence[Wallet], messages: Sequence[AnyMessage]
    ) -> list[bytes]:
        """Return signed transactions of 100 messages, one per wallet."""
        made = []
        for number, start in enumerate(range(0, len(messages), MESSAGES_PER_TX)):
            wallet = wallets[number % len(wallets)]
            account = chain.app.accounts.get(chain.app.query_context(), wallet.address.raw)
            assert account is not None
            made.append(
                wallet.sign_tx(
                    messages[start : start + MESSAGES_PER_TX],
                    chain_id=chain.chain_id,
                    account_number=account.number,
                    sequence=account.sequence + number // len(wallets),
                    gas_limit=5 * 10**8,
                )
            )
        return made

    def sent_in_last_block(self) -> list[Packet]:
        """Return the packets of A's last block."""
        return [seen.packet for seen in _seen(self.a) if seen.kind == SEND_PACKET]

    def answered_in_last_block(self) -> list[tuple[Packet, bytes]]:
        """Return the packets of B's last block with their acknowledgements."""
        return [(s.packet, s.acknowledgement) for s in _seen(self.b) if s.kind == WRITE_ACKNOWLEDGEMENT]


def _seen(chain: LocalChain):
    for outcome in chain.block(chain.height).txs:
        if outcome.code:
            raise RuntimeError(outcome.log)
        for event in outcome.events:
            seen = read_packet_event(event)
            if seen is not None:
                yield seen


class StepClock:
    """A clock that advances a second per call."""

    def __init__(self) -> None:
        self._now = 1_767_225_600_000_000_000

    def __call__(self) -> int:
        """Return unix nanoseconds."""
        self._now += 10**9
        return self._now

"""Two chains, several relayers, one of whom drops, repeats, reorders, forges: order and supply hold.

Every step is a block on a real chain, every message has real proofs. What happened is read from the events of
the blocks, as an indexer would.
"""

from collections import defaultdict
from dataclasses import replace
from random import Random

import pytest

from conformance.kit.encode import to_any
from conformance.kit.queue.pair import QueuePair
from pyibc.codec.anys import AnyMessage
from pyibc.queues.coins import CoinTransfer, QueueDenom, decode_transfer, encode_transfer, escrow_address
from pyibc.testing.pair import SECOND
from tests.sampling import rounds, sample

PATHS = 4  # chains and a channel, both directions

STEPS = {
    "send": 24,
    "send home": 10,
    "sync": 22,
    "update": 3,
    "wait": 5,
    "receive": 16,
    "hold back": 8,
    "handle": 10,
    "timeout": 10,
    "advance": 6,
    "repeat": 8,
    "forge": 6,
}
"""How often the relayers take each step."""


WAYS = ("good", "good", "short", "short", "bad receiver")


def script_of(seed, length):
    """Steps with their arguments: mostly what leads on, sometimes what does not."""
    chance = Random(seed)
    for name in chance.choices(list(STEPS), list(STEPS.values()), k=length):
        path, few = chance.randrange(PATHS), chance.randint(1, 3)
        near = chance.choice([0, 0, 0, -1, 1, 2])
        yield {
            "send": (
                name,
                path,
                chance.randint(1, 50),
                chance.choice(["good", "good", "short", "bad receiver"]),
            ),
            "send home": (name, path, chance.randint(1, 10), chance.choice(WAYS)),
            "sync": (name,),
            "update": (name, chance.random() < 0.5),
            "wait": (name, chance.randint(1, 40)),
            "receive": (name, path, near, few),
            "hold back": (name, path, few),
            "handle": (name, path, near, few),
            "timeout": (name, path, few),
            "advance": (name, path),
            "repeat": (name, chance.choice([-1, -1, -2, -3, chance.randrange(99)])),
            "forge": (name, chance.randrange(99), chance.randrange(10**6), chance.randint(1, 255)),
        }[name]


class World:
    """The chains, what the relayers ever made, and what the blocks say happened."""

    def __init__(self):
        self.pair = QueuePair.registered(channels=1)
        first, second = self.pair.path, self.pair.channel_paths[0]
        self.paths = [first, first.back(), second, second.back()]
        self.made = []  # (side, message) that somebody built, delivered or not
        self.history = []  # (kind, path, sequence, code) in the order of the world
        self.sent = {}  # (path, sequence) -> transfer

    def submit(self, side, message, *, user=False):
        endpoint = side.user if user else side.relayer
        outcome = endpoint.submit([to_any(message)])
        if outcome.code == 0:
            for kind, pairs in outcome.events:
                if kind.startswith("queue_") and kind != "queue_advance":
                    self.note(kind, dict(pairs))
        return outcome

    def note(self, kind, said):
        path = next(at for at, each in enumerate(self.paths) if each.a.text == said["source"]
                    and each.b.text == said["destination"])  # fmt: skip
        sequence = int(said["sequence"])
        self.history.append((kind, path, sequence, int(said.get("code", "0"))))
        if kind == "queue_send":
            self.sent[path, sequence] = decode_transfer(bytes.fromhex(said["data_hex"]))

    # -- steps

    def send(self, path, amount, way):
        at = self.paths[path]
        base = "ualpha" if at.a.chain == "alpha-1" else "ubeta"
        self.transfer(path, QueueDenom(base), amount, way)

    def send_home(self, path, amount, way):
        at = self.paths[path]
        base = "ubeta" if at.a.chain == "alpha-1" else "ualpha"
        self.transfer(path, QueueDenom(base, (at.b.text,)), amount, way)

    def transfer(self, path, denom, amount, way):
        at = self.paths[path]
        side, far = self.pair.side(at.a), self.pair.side(at.b)
        receiver = "nobody" if way == "bad receiver" else far.user.signer
        data = encode_transfer(CoinTransfer(denom, amount, side.user.signer, receiver))
        until = self.pair.clock.now_ns + 20 * SECOND if way == "short" else 0
        self.submit(side, self.pair.send_message(at, data, "coins", max_time_ns=until), user=True)

    def waiting(self, kind, path):
        """First and number of what a relayer could bring."""
        at = self.paths[path]
        sent = self.pair.side(at.a).bounds(at.outgoing)
        received = self.pair.side(at.b).bounds(at.incoming)
        first, end = {
            "receive": (received[1], sent[1]),
            "handle": (sent[0], received[1]),
            "timeout": (sent[0], sent[1]),
        }[kind]
        return first, end - first

    def busy(self, kind, path):
        """A path with work of this kind, `path` or one after it; `path` where there is none."""
        turns = [(path + turn) % PATHS for turn in range(PATHS)]
        return next((each for each in turns if self.waiting(kind, each)[1] > 0), path)

    def relay(self, kind, path, offset, count):
        """Offset 0: a relayer who knows his trade; else one who skips, or brings what was brought."""
        if not offset:
            self.pair.sync()
            path = self.busy(kind, path)
        at = self.paths[path]
        first, ready = self.waiting(kind, path)
        count = max(1, min(count, ready)) if not offset else count
        start = max(0, first + offset)
        message = getattr(self.pair, kind)(at, range(start, start + count))
        self.deliver(self.pair.side(at.b if kind == "receive" else at.a), message)

    def hold_back(self, path, count):
        """Makes the message that brings packets, to use it when it suits."""
        self.pair.sync()
        path = self.busy("receive", path)
        first, ready = self.waiting("receive", path)
        message = self.pair.receive(self.paths[path], range(first, first + max(1, min(count, ready))))
        self.made.append((self.pair.side(self.paths[path].b), message))

    def timeout(self, path, count):
        """Where packets of ours are out, whether they were received, are too late, or neither."""
        path = self.busy("timeout", path)
        at = self.paths[path]
        side, head = self.pair.side(at.a), self.waiting("timeout", path)[0]
        if count > 1:
            self.pair.clock.advance(30 * SECOND)
        self.pair.sync()
        self.deliver(side, self.pair.timeout(at, head, 1 if count == 2 else count))

    def advance(self, path):
        at = self.paths[path]
        message = self.pair.advance(at)
        if message.to:
            self.deliver(self.pair.side(at.b), message)

    def deliver(self, side, message):
        self.made.append((side, message))
        self.submit(side, message)

    def repeat(self, number):
        if self.made:
            self.submit(*self.made[number % len(self.made)])

    def forge(self, number, at, change):
        """One byte of a message of old; where it is another message, it must not be believed."""
        if not self.made:
            return
        side, message = self.made[number % len(self.made)]
        raw = to_any(message)
        at %= len(raw.value)
        spoilt = raw.value[:at] + bytes([raw.value[at] ^ change]) + raw.value[at + 1 :]
        self.submit(side, AnyMessage(raw.type_url, spoilt))

    def run(self, step):
        name, *arguments = step
        if name == "sync":
            self.pair.sync()
        elif name == "update":
            self.pair.update(self.pair.a if arguments[0] else self.pair.b)
        elif name == "wait":
            self.pair.clock.advance(arguments[0] * SECOND)
        elif name in {"receive", "handle"}:
            self.relay(name, *arguments)
        else:
            getattr(self, name.replace(" ", "_"))(*arguments)

    def settle(self):
        """An honest relayer finishes what was begun."""
        for path in (*self.paths, *self.paths):
            side = self.pair.side(path.b)
            before = len(self.history)
            blocks = self.pair.a.chain.height, self.pair.b.chain.height
            self.pair.relay(path)
            self.replay(blocks)
            assert len(self.history) >= before
            assert side.bounds(path.incoming)[1] == self.pair.side(path.a).bounds(path.outgoing)[1]

    def replay(self, blocks):
        """Notes what blocks after `blocks` tell; receives and receipts of one path at a time, in order."""
        found = []
        for side, height in zip((self.pair.a, self.pair.b), blocks, strict=True):
            for number in range(height + 1, side.chain.height + 1):
                for tx in side.chain.block(number).txs:
                    found += [event for event in tx.events if tx.code == 0]
        order = {"queue_receive": 0, "queue_handle_receipt": 1}
        for kind, pairs in sorted((e for e in found if e[0] in order), key=lambda e: order[e[0]]):
            self.note(kind, dict(pairs))


# -- laws


def check_causality(world):
    """[IBC-channels 3.1], over what happened in the order in which it happened."""
    when = defaultdict(dict)
    for time, (kind, path, sequence, _) in enumerate(world.history):
        assert sequence not in when[path, kind], "a packet is sent, received and answered once"
        when[path, kind][sequence] = time
    for path in range(PATHS):
        sends, receives = when[path, "queue_send"], when[path, "queue_receive"]
        receipts, timeouts = when[path, "queue_handle_receipt"], when[path, "queue_timeout"]
        assert not receipts.keys() & timeouts.keys()
        done = receipts | timeouts
        # A:send(msg_i) -> B:receive(msg_i); B:receive(msg_i) -> A:receipt(msg_i)
        assert all(sends[i] < receives[i] for i in receives)
        assert all(receives[i] < receipts[i] for i in receipts)
        # A:send(msg_i) -> A:send(msg_i+1)
        assert list(sends) == list(range(len(sends)))
        # x -> A:send(msg_i) => x -> B:receive(msg_i): what A sent before, B received before, or never
        for i, time in receives.items():
            for j in range(i):
                assert receives[j] < time if j in receives else j in timeouts
        # y -> B:receive(msg_i) => y -> A:receipt(msg_i): what B received before, A has handled before
        for i, time in done.items():
            assert all(done[j] < time for j in range(i))


def check_supply(world):
    """What is escrowed is what the other chain has vouchers for, and what is on its way."""
    for number, path in enumerate(world.paths):
        home, away = world.pair.side(path.a), world.pair.side(path.b)
        base = "ualpha" if path.a.chain == "alpha-1" else "ubeta"
        voucher = QueueDenom(base, (path.a.text,)).name
        escrow = home.balance(escrow_address(path.b), base)
        bank, ctx = away.chain.app.bank, away.chain.app.query_context()
        out = on_the_way(world, number, lambda denom: not denom.hops)
        back = on_the_way(world, number ^ 1, lambda denom: bool(denom.hops))
        assert escrow == bank.supply(ctx, voucher) + out + back
        assert home.chain.app.bank.supply(home.chain.app.query_context(), base) == 10**12


def on_the_way(world, path, wanted):
    """Amounts of packets that were neither executed on the other chain nor rolled back on their own."""
    failed = {
        i for kind, at, i, code in world.history if at == path and kind == "queue_handle_receipt" and code
    }
    taken = {i for kind, at, i, _ in world.history if at == path and kind == "queue_timeout"}
    executed = {
        i for kind, at, i, code in world.history if at == path and kind == "queue_receive" and not code
    }
    return sum(
        transfer.amount
        for (at, i), transfer in world.sent.items()
        if at == path and wanted(transfer.denom) and i not in failed | taken | executed
    )


@pytest.mark.parametrize("seed", sample(range(34), 2, "interleavings"))
def test_whatever_the_relayers_do(seed):
    run(script_of(seed, rounds(100, 300)))


def run(script):
    world = World()
    try:
        for step in script:
            before = len(world.history)
            world.run(step)
            if len(world.history) > before:
                check_supply(world)
        check_causality(world)
        world.settle()
        check_causality(world)
        check_supply(world)
        check_done(world)
    finally:
        world.pair.close()


def check_done(world):
    for path in world.paths:
        head, tail = world.pair.side(path.a).bounds(path.outgoing)
        assert head == tail
    bounds = [key for side in (world.pair.a, world.pair.b) for key in side.entries() if b"\0" in key]
    assert len(bounds) == 2 * 2 * 4  # heads and tails, nothing else


def test_the_laws_can_be_broken():
    """A chain that executes a packet twice, one that forgets: the laws see it."""
    world = World()
    world.send(0, 5, "good")
    world.pair.sync()
    world.relay("receive", 0, 0, 1)
    check_causality(world)
    check_supply(world)
    world.history.append(world.history[-1])
    with pytest.raises(AssertionError):
        check_causality(world)
    world.history.pop()
    world.history.pop()
    with pytest.raises(AssertionError):
        check_supply(world)
    world.pair.close()


def test_messages_of_several_relayers_race():
    """The same packets in three hands: one is paid for, two are refused, nothing happens twice."""
    world = World()
    for _ in range(3):
        world.send(0, 7, "good")
    world.pair.sync()
    message = world.pair.receive(world.paths[0], range(3))
    codes = [world.submit(world.pair.b, message).code for _ in range(3)]
    assert [bool(code) for code in codes] == [False, True, True]
    early = replace(message, items=message.items[:1])
    assert world.submit(world.pair.b, early).codespace == "queue"
    check_causality(world)
    check_supply(world)
    world.pair.close()


def played(*acts):
    """A packet of coins, what relayers do with it, and what came of it; the laws hold all the time."""
    world = World()
    world.send(0, 5, "short")
    for act in acts:
        act(world)
        check_supply(world)
    check_causality(world)
    world.settle()
    check_causality(world)
    check_supply(world)
    kinds = [kind for kind, *_ in world.history]
    world.pair.close()
    return kinds


def test_a_packet_held_back_is_not_taken_back_ahead_of_its_time():
    """Refused, the timeout leaves the packet to whoever held it back."""
    kinds = played(
        lambda world: world.hold_back(0, 1),
        lambda world: world.timeout(0, 1),
        lambda world: world.submit(*world.made[0]),
    )
    assert kinds == ["queue_send", "queue_receive", "queue_handle_receipt"]


def test_a_packet_held_back_until_it_was_taken_back_is_worth_nothing():
    kinds = played(
        lambda world: world.hold_back(0, 1),
        lambda world: world.timeout(0, 3),  # of three packets, which there are not
        lambda world: world.timeout(0, 2),
        lambda world: world.submit(*world.made[0]),
    )
    assert kinds == ["queue_send", "queue_timeout", "queue_receive"]


def test_a_packet_that_was_received_is_not_taken_back_however_late():
    kinds = played(
        lambda world: world.relay("receive", 0, 0, 1),
        lambda world: world.timeout(0, 2),
    )
    assert kinds == ["queue_send", "queue_receive", "queue_handle_receipt"]

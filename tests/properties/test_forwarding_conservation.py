"""Any schedule of forwarded transfers between three chains: no coin is lost, made of nothing or left behind.

The laws are those of ICS-20 (`pyibc/testing/ledger.py`), with packets under way and when all is settled; then
also: what users hold of a chain's coin anywhere is what they began with, so that every failed transfer is
refunded; no account but theirs and the escrow accounts holds coins; nothing waits for an answer.

Left out is a way that goes back at once over the channel that it came: ibc-go leaves vouchers in escrow there
(tests/road/test_packet_forward.py shows it).
"""

import json
from collections import Counter

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from conformance.kit.schedules import earlier_messages, outstanding
from pyibc.apps.packet_forward.plugin import PacketForwardPlugin
from pyibc.apps.packet_forward.state import STORE_NAME
from pyibc.apps.transfer import state
from pyibc.apps.transfer.coins import escrow_address
from pyibc.apps.transfer.denom import decode_denom, native
from pyibc.core.packet.messages import MsgAcknowledgement, MsgRecvPacket, MsgTimeout
from pyibc.testing.pair import SECOND, ibc_plugins
from pyibc.testing.transfers import hop, transfer
from pyibc.testing.triple import NATIVE, three_chains
from tests.sampling import rounds

FUNDS = 1_000
LONGEST_S = 1_000
OLD = {MsgRecvPacket.TYPE_URL, MsgAcknowledgement.TYPE_URL, MsgTimeout.TYPE_URL}

HOP = st.tuples(
    st.integers(0, 3),  # which of the chain's channels
    st.sampled_from([20, 300]),  # seconds until the packet that is sent on is too late
    st.integers(0, 2),  # retries
)
SEND = st.tuples(
    st.just("send"),
    st.integers(0, 2),  # which chain
    st.lists(HOP, min_size=1, max_size=4),
    st.integers(0, 5),  # which of the coins held
    st.integers(1, FUNDS + 1),
    st.sampled_from(["bob", "bob", "nobody"]),
    st.booleans(),  # `next` as a text
)
STEPS = st.lists(
    st.one_of(
        SEND,
        SEND,
        st.tuples(st.just("relay"), st.integers(0, 3)),
        st.tuples(st.just("bring"), st.integers(0, 3)),
        st.tuples(st.just("bring"), st.integers(0, 3)),
        st.tuples(st.just("wait"), st.integers(1, 100)),
        st.tuples(st.just("replay"), st.integers(0, 2), st.integers(0, 10**6)),
        st.tuples(st.just("block"), st.integers(0, 2)),
    ),
    min_size=4,
    max_size=25,
)


class World:
    """Three chains, four channels in a ring with one doubled, a relayer of each two chains."""

    def __init__(self):
        self.net = three_chains(
            plugins=lambda: [PacketForwardPlugin(), *ibc_plugins()], users=("bob", "second"), amount=FUNDS
        )
        a, b, c = self.net.parties
        ways = [(a, b), (b, a), (b, c), (c, a)]
        self.ends = {party.chain.chain_id: [] for party in self.net.parties}
        for first, second in ways:
            path = self.net.open(first, second)
            self.ends[first.chain.chain_id].append((path.a, path.b, second))
            self.ends[second.chain.chain_id].append((path.b, path.a, first))
        self.links = self.net.links()

    def send(self, at, hops, coin_index, amount, receiver, as_text):
        """A transfer over as many channels as there are hops, but never straight back over one."""
        party, came, way = self.net.parties[at], None, []
        for number, seconds, retries in hops:
            near = [end for end in self.ends[party.chain.chain_id] if end[0] != came]
            end, came, party = near[number % len(near)]
            way.append((end, seconds, retries))
        user, first = self.net.parties[at], way[0]
        held = self._held(user)
        denom = held[coin_index % len(held)]
        address = party.address("bob") if receiver == "bob" else receiver
        memo = _memo(way[1:], address, as_text)
        to = address if len(way) == 1 else "anybody"
        until = self.net.clock.now_ns + first[1] * SECOND
        user.execute("bob", transfer(user, "bob", first[0], denom, amount, to, until=until, memo=memo))

    def _held(self, party):
        app = party.chain.app
        coins = dict(app.bank.balances(app.query_context(), party.users["bob"].address.raw))
        return [denom for denom in sorted(coins) if denom != "stake"] or [NATIVE[0]]

    def relay(self, number):
        self.links[number].round()

    def bring(self, number):
        """All that is pending between two chains, both ways."""
        self.links[number].until_idle()

    def wait(self, seconds):
        self.net.clock.advance(seconds * SECOND)

    def block(self, at):
        self.net.parties[at].chain.make_block([])

    def replay(self, at, number):
        """Some relayer's earlier packet messages once more."""
        party = self.net.parties[at]
        old = earlier_messages(party.chain, OLD)
        if old:
            party.execute("second", old[number % len(old)])

    def settle(self):
        """Relays and lets time pass until nothing is under way: what is tried again takes its time."""
        chains = [party.chain for party in self.net.parties]
        for _ in range(20):
            self.net.relay()
            if not any(found for chain in chains for found in outstanding(chain)):
                return
            self.wait(LONGEST_S)
            for chain in chains:
                chain.make_block([])
        raise AssertionError([found for chain in chains for found in outstanding(chain)])

    def strange_holders(self):
        """Accounts with coins that are no user's, no escrow account and not the chain's."""
        found = []
        for party in self.net.parties:
            app = party.chain.app
            known = {user.address.raw for user in party.users.values()}
            known |= {escrow_address(*hop(near)) for near, _, _ in self.ends[party.chain.chain_id]}
            balances = app.bank.all_balances(app.query_context())
            found += [each for each in balances if each[1] != "stake" and each[0] not in known]
        return found

    def in_users_hands(self):
        """By the coin's first name: what users of all chains hold of it, whatever it is called there."""
        held = Counter()
        for party in self.net.parties:
            ctx = party.chain.app.query_context()
            entries = ctx.reader(state.STORE_NAME).iterate(state.DENOM, state.DENOM + b"\xff")
            vouchers = [decode_denom(raw) for _, raw in entries]
            names = {each.coin_denom: each.base for each in [*vouchers, *map(native, NATIVE)]}
            for user in party.users.values():
                for denom, amount in party.chain.app.bank.balances(ctx, user.address.raw):
                    held[names.get(denom, denom)] += amount
        return {denom: held[denom] for denom in NATIVE}

    def waiting(self):
        return [
            entry
            for party in self.net.parties
            for entry in party.chain.app.query_context().reader(STORE_NAME).iterate(b"\0", None)
        ]

    def close(self):
        for link in self.links:
            link.close()
        self.net.close()


def _memo(way, receiver, as_text):
    """The memo for these hops, the last of them to `receiver`."""
    memo = ""
    for end, seconds, retries in reversed(way):
        forward = {
            "receiver": receiver if not memo else "anybody",
            "port": end.port_id,
            "channel": end.channel_id,
            "timeout": f"{seconds}s",
            "retries": retries,
        }
        if memo:
            forward["next"] = memo if as_text else json.loads(memo)
        memo = json.dumps({"forward": forward})
    return memo


def play(steps):
    world = World()
    try:
        before = world.in_users_hands()
        for name, *arguments in steps:
            getattr(world, name)(*arguments)
        assert world.net.broken_laws() == []
        assert world.strange_holders() == []
        world.settle()
        assert world.net.broken_laws() == []
        assert world.strange_holders() == []
        assert world.waiting() == []
        assert world.in_users_hands() == before
    finally:
        world.close()


A, B, C = 0, 1, 2
AB, BC = ("bring", 0), ("bring", 2)
"""What the first channel of A carries to B, and B's third one to C."""


def send(at, *way, to="nobody", seconds=300, retries=0):
    """Ten of the first coin held. `way`: numbers of channels, those on the way without the one just used."""
    return ("send", at, [(channel, seconds, retries) for channel in way], 0, 10, to, False)


@settings(
    max_examples=rounds(5, 100),
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(STEPS)
@example([send(A, 0, 1)])  # A's coins: vouchers that B made and escrowed, to be burned
@example([send(B, 0, to="bob"), AB, send(A, 0, 1)])  # B's own coins, home and on: from escrow to escrow
@example([send(C, 0, 0, to="bob"), BC, AB, BC, send(A, 0, 1)])  # C's coins, home over B: burned, to be minted
@example([send(A, 0, 1, to="bob", retries=1, seconds=20), AB, ("wait", 30), ("block", C), BC, AB, BC])
@example([send(A, 0, 1, retries=0, seconds=20), AB, ("wait", 30), ("block", C), BC, ("replay", B, 5)])
def test_h170_no_schedule_of_forwards_loses_or_makes_coins(steps):
    play(steps)

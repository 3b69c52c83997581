"""Strangers make clients, channels and pairs: none is followed unlike ours, and none is chosen for us."""

import json
import re

import pytest
from click.testing import CliRunner

from conformance.kit.serving import serving
from ibc_module.plugin import Config
from light_client.tendermint import states as codec
from localnet.endpoint import LocalEndpoint
from pyibc.chain.parts import plugins_with_queues
from pyibc.cli.relay import command
from pyibc.codec.anys import AnyMessage
from pyibc.core import paths
from pyibc.core.channel.types import Order
from pyibc.core.client_v2 import MsgRegisterCounterparty, MsgUpdateClientConfig
from pyibc.core.connection.types import Version
from pyibc.core.proofs import SDK_SPECS
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.relayer.clients.driver import MERKLE_PREFIX, Drivers, InitialStates
from pyibc.relayer.clients.tendermint import DAY, DRIVERS, SECOND, TendermintDriver
from pyibc.relayer.errors import AmbiguousPath, DifferentTerms, NodeBehind, NoPath
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.audit import Audit
from pyibc.relayer.paths.discovery import discover, find_channel, find_client_path, find_path, over_connection
from pyibc.relayer.paths.ends import counterparty_of
from pyibc.relayer.paths.open_channel import ChannelParams
from pyibc.relayer.paths.open_connection import open_connection
from pyibc.relayer.paths.open_path import (
    create_client,
    existing_clients,
    make_channel,
    make_client_path,
    make_clients,
    make_path,
)
from pyibc.relayer.paths.path import SIDES
from pyibc.relayer.queue.path import find_queue_path, make_queue_path
from pyibc.testing.pair import two_chains

TRANSFER = ("transfer", Order.UNORDERED, "ics20-1")
EVIL = {
    "unbonding_period": {"unbonding_period_ns": 36_500 * DAY},
    "trusting_period": {"trusting_period_ns": 20 * DAY},
    "max_clock_drift": {"max_clock_drift_ns": 3_650 * DAY},
    "trust_level": {"trust_level": (2, 3)},
    "proof_specs": {"proof_specs": (SDK_SPECS[0]._replace(max_depth=200), SDK_SPECS[1])},
    "upgrade_path": {"upgrade_path": ("mine", "upgradedIBCState")},
}


class Evil(TendermintDriver):
    """Creates clients with other terms."""

    def __init__(self, **terms):
        super().__init__()
        self._terms = terms

    def initial_states(self, reference):
        packed, held = super().initial_states(reference)
        state = codec.decode_client_state(packed.value)._replace(**self._terms)
        return InitialStates(AnyMessage(packed.type_url, codec.encode_client_state(state)), held)

    def differences(self, client_state, reference):
        return []


class Forging(TendermintDriver):
    """Creates clients whose first header is a forgery that later ones are trusted from."""

    def initial_states(self, reference):
        _, held = super().initial_states(reference)
        forged = codec.decode_consensus_state(held.value)._replace(root=b"\x66" * 32)
        states = super().initial_states(reference)
        return InitialStates(
            states.client_state, AnyMessage(held.type_url, codec.encode_consensus_state(forged))
        )


@pytest.fixture
def pair():
    made = two_chains(users=("alice", "rival"))
    yield made
    made.close()


def ends(pair, user="relayer"):
    return tuple(LocalEndpoint(each.chain, each.users[user]) for each in (pair.a, pair.b))


def heights(pair):
    return pair.a.chain.height, pair.b.chain.height


def both_waited(pair):
    """The chains go on, so that the newest header is not that of the client."""
    for each in (pair.a, pair.b):
        each.chain.make_block([])


@pytest.mark.parametrize("term", EVIL)
def test_h130_a_stranger_s_client_with_other_terms_is_not_built_upon(pair, term):
    """The newest clients and the only channel there are a stranger's."""
    theirs = make_path(*ends(pair, "rival"), *TRANSFER, drivers=Drivers(Evil(**EVIL[term])), new_clients=True)
    before = heights(pair)
    with pytest.raises(NoPath, match=re.escape(f"{theirs.a.client_id} {term} ")):
        find_path(*ends(pair), *TRANSFER)
    with pytest.raises(DifferentTerms) as refused:
        find_channel(*ends(pair), "transfer", theirs.a.channel_id)
    assert [(each.term, each.at) for each in refused.value.differences] == [
        (term, f"chain-a-1 {theirs.a.client_id}"),
        (term, f"chain-b-1 {theirs.b.client_id}"),
    ]
    others = frozenset(EVIL) - {term}
    with pytest.raises(DifferentTerms):
        find_channel(*ends(pair), "transfer", theirs.a.channel_id, accept=others)
    assert find_channel(*ends(pair), "transfer", theirs.a.channel_id, accept=frozenset({term})) == theirs
    assert heights(pair) == before
    ours = make_path(*ends(pair), *TRANSFER)
    assert {ours.a.client_id, ours.a.connection_id, ours.a.channel_id} & set(theirs.a) == set()
    assert find_path(*ends(pair), *TRANSFER) == ours


def test_h130_all_terms_that_differ_are_named(pair):
    terms = {name: value for each in EVIL.values() for name, value in each.items()}
    theirs = make_path(*ends(pair, "rival"), *TRANSFER, drivers=Drivers(Evil(**terms)), new_clients=True)
    with pytest.raises(DifferentTerms) as refused:
        find_channel(*ends(pair), "transfer", theirs.a.channel_id)
    assert {each.term for each in refused.value.differences} == set(EVIL)
    (seen,) = discover(*ends(pair))
    assert (seen.path, {each.term for each in seen.differences}) == (theirs, set(EVIL))
    assert "unbonding_period 3153600000 s (ours 1814400 s)" in str(refused.value)


def test_h130_connections_of_a_stranger_over_our_clients_have_our_terms_or_are_passed_over(pair):
    a, b = ends(pair)
    clients = make_clients(a, b)
    delayed = open_connection(clients, 1_000 * SECOND)
    wanted = open_connection(clients)
    assert delayed != wanted
    theirs = make_path(a, b, *TRANSFER)
    assert (theirs.a.connection_id, theirs.b.connection_id) == wanted
    audit = Audit(a, b, DRIVERS, is_chosen=False)
    _, found = audit.connection(0, delayed[0])
    assert [(each.term, each.theirs) for each in found.differences] == [("delay_period", "1000000000000 ns")]


def test_h131_a_stranger_s_newer_channel_over_our_connection_is_not_chosen(pair):
    ours = make_path(*ends(pair), *TRANSFER)
    audit = Audit(*ends(pair, "rival"), DRIVERS, is_chosen=True)
    connections, clients = over_connection(audit, ours.a.connection_id)
    params = ChannelParams(("transfer", "transfer"), connections, Order.UNORDERED, "ics20-1")
    theirs = make_channel(clients, params, new=True)
    assert theirs.a.connection_id == ours.a.connection_id
    before = heights(pair)
    names = re.escape(f"{ours.a.channel_id}, {theirs.a.channel_id}")
    for opening in (find_path, make_path):
        with pytest.raises(AmbiguousPath, match=names):
            opening(*ends(pair), *TRANSFER)
    assert find_channel(*ends(pair), "transfer", ours.a.channel_id) == ours
    assert heights(pair) == before


class Hiding(LocalEndpoint):
    """A node that says that there is nothing at one key, but for the first `true` times that it is asked."""

    def __init__(self, endpoint, key, true=0):
        super().__init__(endpoint.chain, endpoint.wallet)
        self._hidden, self._true = key, true

    def get(self, key, store=paths.STORE_NAME):
        if key == self._hidden:
            self._true -= 1
        return None if key == self._hidden and self._true < 0 else super().get(key, store)


def hidden_entries(ours):
    """Of our channel: on which side an entry may be hidden, its key, and what is said of it."""
    (a, b), name = (ours.a, ours.b), ours.a.channel_id
    return {
        "channel": (0, paths.channel_path("transfer", name), f"lists {name} but has no such channel"),
        "connection": (
            0,
            paths.connection_path(a.connection_id),
            f"lists {name} but has no {a.connection_id}",
        ),
        "client": (0, paths.client_state_path(a.client_id), f"has {a.connection_id} but no {a.client_id}"),
        "far channel": (
            1,
            paths.channel_path("transfer", b.channel_id),
            f"has no {b.channel_id}, the counterparty of {name}",
        ),
        "far connection": (
            1,
            paths.connection_path(b.connection_id),
            f"has no {b.connection_id}, the counterparty of {a.connection_id}",
        ),
    }


@pytest.mark.parametrize("entry", ["channel", "connection", "client", "far channel", "far connection"])
def test_h234_a_node_that_hides_our_channel_does_not_make_a_stranger_s_the_only_one(pair, entry):
    ours = make_path(*ends(pair), *TRANSFER)
    over = tuple(
        Audit(*ends(pair), DRIVERS, is_chosen=True).foreign_client(s, ours.end(s).client_id) for s in SIDES
    )
    connection = open_connection(over, new=True)
    params = ChannelParams(("transfer",) * 2, connection, Order.UNORDERED, "ics20-1")
    theirs = make_channel(over, params, new=True)
    with pytest.raises(AmbiguousPath):
        find_path(*ends(pair), *TRANSFER)
    side, key, reason = hidden_entries(ours)[entry]
    nodes = list(ends(pair))
    nodes[side] = Hiding(nodes[side], key)
    with pytest.raises(NodeBehind) as caught:
        find_path(*nodes, *TRANSFER)
    assert (caught.value.chain_id, caught.value.reason) == (nodes[side].chain_id, reason)
    assert find_channel(*ends(pair), "transfer", theirs.a.channel_id) == theirs


@pytest.mark.parametrize("true", [0, 1, 2])
@pytest.mark.parametrize("side", SIDES)
def test_h234_no_second_answer_hides_a_connection_either(pair, side, true):
    """A liar may tell the truth at first: a stranger's channel is never what is found."""
    ours = make_path(*ends(pair), *TRANSFER)
    over = tuple(
        Audit(*ends(pair), DRIVERS, is_chosen=True).foreign_client(s, ours.end(s).client_id) for s in SIDES
    )
    params = ChannelParams(("transfer",) * 2, open_connection(over, new=True), Order.UNORDERED, "ics20-1")
    make_channel(over, params, new=True)
    nodes = list(ends(pair))
    nodes[side] = Hiding(nodes[side], paths.connection_path(ours.end(side).connection_id), true)
    with pytest.raises((NodeBehind, AmbiguousPath)) as caught:
        find_path(*nodes, *TRANSFER)
    assert caught.type is (AmbiguousPath if true > 1 - side else NodeBehind)


def test_h234_a_node_that_hides_our_pair_does_not_make_a_stranger_s_the_only_one(pair):
    ours = make_client_path(*ends(pair))
    theirs = make_client_path(*ends(pair, "rival"), new_clients=True)
    with pytest.raises(AmbiguousPath):
        find_client_path(*ends(pair))
    a, b = ends(pair)
    name, far = ours.a.client_id, ours.b.client_id
    with pytest.raises(NodeBehind) as caught:
        find_client_path(Hiding(a, paths.client_counterparty_path(name)), b)
    reason = f"{name} has no counterparty, but {far} of {b.chain_id} names it"
    assert (caught.value.chain_id, caught.value.reason) == (a.chain_id, reason)
    assert find_client_path(Hiding(a, paths.client_counterparty_path(theirs.a.client_id)), b) == ours


def test_a_stranger_s_pair_is_found_where_there_is_none_of_ours(pair):
    theirs = make_client_path(*ends(pair, "rival"))
    assert find_client_path(*ends(pair)) == theirs


def test_h234_what_a_stranger_s_client_proved_of_b_may_be_missing_there(pair):
    """He may forge what his own client believes: that is no reason to find nothing at all."""
    theirs = make_path(*ends(pair, "rival"), *TRANSFER, new_clients=True)
    ours = make_path(*ends(pair), *TRANSFER, new_clients=True)
    nodes = ends(pair)
    hiding = Hiding(nodes[1], paths.channel_path("transfer", theirs.b.channel_id))
    assert find_path(nodes[0], hiding, *TRANSFER) == ours


def test_h131_nothing_is_built_upon_a_stranger_s_client_even_with_our_terms(pair):
    """Who created a client may say later who updates it."""
    rival = ends(pair, "rival")
    names = [create_client(*each).client_id for each in (rival, rival[::-1])]
    before = heights(pair)
    with pytest.raises(NoPath, match=f"{names[0]}: another account created it"):
        existing_clients(*ends(pair))
    assert heights(pair) == before
    made = make_path(*ends(pair), *TRANSFER)
    assert made.a.client_id != names[0]
    assert made.b.client_id != names[1]


def test_h132_a_stranger_s_pair_is_not_chosen(pair):
    ours = make_client_path(*ends(pair))
    theirs = make_client_path(*ends(pair, "rival"), new_clients=True)
    before = heights(pair)
    with pytest.raises(AmbiguousPath, match=f"{theirs.a.client_id}, {ours.a.client_id}"):
        find_client_path(*ends(pair))
    assert find_client_path(*ends(pair), ours.a.client_id) == ours
    assert make_client_path(*ends(pair)) == ours  # what our own account made is nobody else's choice
    with pytest.raises(AmbiguousPath):
        make_client_path(*ends(pair, "alice"))
    assert heights(pair) == before


@pytest.mark.parametrize("term", EVIL)
def test_h132_a_stranger_s_pair_with_other_terms_is_refused(pair, term):
    theirs = make_client_path(*ends(pair, "rival"), drivers=Drivers(Evil(**EVIL[term])), new_clients=True)
    before = heights(pair)
    with pytest.raises(NoPath, match=term):
        find_client_path(*ends(pair))
    with pytest.raises(DifferentTerms, match=f"chain-b-1 {theirs.b.client_id} {term}"):
        find_client_path(*ends(pair), theirs.a.client_id)
    assert heights(pair) == before
    assert make_client_path(*ends(pair)).a.client_id != theirs.a.client_id


def test_h132_a_pair_whose_creator_says_who_may_relay_is_named(pair):
    ours = make_client_path(*ends(pair))
    config = MsgUpdateClientConfig(ours.b.client_id, (pair.b.address("rival"),), pair.b.endpoint.signer)
    assert pair.b.endpoint.submit([pack_msg(config)]).code == 0
    before = heights(pair)
    with pytest.raises(DifferentTerms) as refused:
        find_client_path(*ends(pair), ours.a.client_id)
    assert [each.term for each in refused.value.differences] == ["allowed_relayers"]
    assert heights(pair) == before
    accepted = find_client_path(*ends(pair), ours.a.client_id, accept=frozenset({"allowed_relayers"}))
    assert accepted == ours


def test_h132_a_stranger_who_names_our_client_does_not_get_our_registration(pair):
    """A counterparty is registered once: it would be his client for ever."""
    a, b = ends(pair)
    mine = create_client(b, a).client_id
    rival = ends(pair, "rival")
    his = create_client(*rival).client_id
    message = MsgRegisterCounterparty(his, MERKLE_PREFIX, mine, rival[0].signer)
    assert rival[0].submit([pack_msg(message)]).code == 0
    made = make_client_path(a, b)
    assert made.a.client_id != his
    assert counterparty_of(b, mine).client_id == made.a.client_id


def test_h133_a_client_that_began_with_a_forged_header_is_not_built_upon(pair):
    """Its newest header is the chain's own and its terms are ours; the forged one still proves anything."""
    rival = ends(pair, "rival")
    forging = Drivers(Forging())
    clients = [create_client(*each, Forging()) for each in (rival, rival[::-1])]
    both_waited(pair)
    for each in clients:
        each.update_to(each.reference.tip().height)
        each.check()
    theirs = make_path(*rival, *TRANSFER, drivers=forging)
    assert theirs.a.client_id == clients[0].client_id
    before = heights(pair)
    with pytest.raises(NoPath, match=f"{theirs.a.client_id} consensus_states another header"):
        find_path(*ends(pair), *TRANSFER)
    assert heights(pair) == before
    assert make_path(*ends(pair), *TRANSFER).a.client_id != theirs.a.client_id


def test_h134_a_stranger_s_end_of_a_queue_is_not_relayed_over():
    pair = two_chains(users=("rival",), plugins=lambda: plugins_with_queues(Config()))
    theirs = make_queue_path(*ends(pair, "rival"), drivers=Drivers(Evil(**EVIL["unbonding_period"])))
    before = heights(pair)
    for opening in (find_queue_path, make_queue_path):
        with pytest.raises(DifferentTerms, match=f"{theirs.a.client_id} unbonding_period"):
            opening(*ends(pair))
    assert heights(pair) == before
    pair.close()


def test_h135_a_journal_of_another_path_ends_the_command_before_anything_is_sent(tmp_path, key_file):
    journal = ["--journal", str(tmp_path / "journal.db")]
    with serving(("one-1", "two-2"), plugins, ["11" * 32], 0.1) as nodes:
        chains = ["--a", nodes[0].url, "--b", nodes[1].url, "--key", key_file]

        def run(*words):
            return CliRunner().invoke(command, [*words])

        assert run("create", "path", *chains).exit_code == 0
        assert run("create", "path", "--protocol", "v2", *chains).exit_code == 0
        assert run(*chains, *journal).exit_code == 0
        assert run("create", "path", *chains, "--new-channel").exit_code == 0
        assert json.loads(run(*chains, *journal, "--json").output)["a"]["channel_id"] == "channel-0"
        ours = Wallet(bytes.fromhex("11" * 32), "cosmos").address.raw

        def sent():
            return [
                each.chain.app.accounts.get(each.chain.app.query_context(), ours).sequence for each in nodes
            ]

        before = sent()
        for other in (["--channel", "channel-1"], ["--protocol", "v2"], ["--port", "else"]):
            refused = run(*chains, *journal, *other)
            assert (refused.exit_code, "belongs to other paths" in refused.output) == (1, True), (
                refused.output
            )
        turned = run("--a", chains[3], "--b", chains[1], *chains[4:], *journal)
        assert (turned.exit_code, "belongs to other paths" in turned.output) == (1, True)
        two = run(*chains)
        assert (two.exit_code, "several usable" in two.output) == (1, True)
        assert sent() == before


def test_what_is_there_is_discovered_by_patterns(pair):
    channel = make_path(*ends(pair), *TRANSFER)
    both = make_client_path(*ends(pair))
    theirs = make_path(
        *ends(pair, "rival"), *TRANSFER, drivers=Drivers(Evil(**EVIL["trust_level"])), new_clients=True
    )
    before = heights(pair)
    found = discover(*ends(pair))
    assert [each.path for each in found] == [channel, theirs, both]
    assert [each.is_usable for each in found] == [True, False, True]
    assert [each.states for each in found] == [("OPEN", "OPEN")] * 2 + [("REGISTERED", "REGISTERED")]
    assert [each.path for each in discover(*ends(pair), port="tran*", channel="channel-*")] == [
        channel,
        theirs,
    ]
    assert discover(*ends(pair), port="ica*", channel=both.a.client_id)[0].path == both
    assert discover(*ends(pair), port="ica*", channel="channel-*") == []
    accepted = discover(*ends(pair), accept=frozenset({"trust_level"}))
    assert all(each.is_usable for each in accepted[:1])
    assert accepted[1].differences == ()
    assert heights(pair) == before


def test_an_end_that_offers_other_versions_or_leads_elsewhere_differs(pair):
    made = make_path(*ends(pair), *TRANSFER)
    audit = Audit(*ends(pair), DRIVERS, is_chosen=True)
    end, found = audit.connection(0, made.a.connection_id)
    assert (found.faults, found.differences, end.versions) == (
        (),
        (),
        (Version("1", ("ORDER_ORDERED", "ORDER_UNORDERED")),),
    )

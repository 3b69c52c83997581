"""Any subset of the facts in any order resolves to the right chain, or to none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.indexer.chains.registry import Registered
from pyibc.indexer.chains.resolve import HANDSHAKE, PROVED, REGISTRY, ChainFact, Named, Names
from pyibc.indexer.events.facts import CHANNEL, CLIENT, CONNECTION, PROOF

CHAINS = ("alpha-1", "beta-2", "gamma-3")


def link(chain, number, other):
    """Build a client, connection and channel of `chain` with the same `number`, and their counterparties."""
    client, connection, channel = (
        f"07-tendermint-{number}",
        f"connection-{number + 10}",
        f"channel-{number + 20}",
    )
    facts = [
        ChainFact(CLIENT, chain, client, other_chain=other, height=number + 1),
        ChainFact(CONNECTION, chain, client, connection),
        ChainFact(CHANNEL, chain, None, connection, "transfer", channel, "wasm.b", f"channel-{number + 30}"),
        ChainFact(PROOF, chain, client, None, "transfer", channel),
    ]
    return (chain, "transfer", channel, "wasm.b", f"channel-{number + 30}"), other, facts


LINKS = [
    link(chain, number, other)
    for chain in CHAINS
    for number, other in enumerate(other for other in CHAINS if other != chain)
]
FACTS = [fact for _, _, facts in LINKS for fact in facts]


@settings(deadline=None)
@given(st.lists(st.sampled_from(FACTS)))
def test_any_part_of_true_facts_names_the_right_chain_or_none(facts):
    names = Names(facts)
    for end, other, own in LINKS:
        client, connection, channel, proof = (fact in facts for fact in own)
        by = HANDSHAKE if connection and channel else PROVED if proof else ""
        assert names.of_channel(*end) == (Named(other, by) if client and by else Named())
    assert names.conflicts == {}


@settings(deadline=None)
@given(st.permutations(FACTS), st.sampled_from(range(len(LINKS))), st.sampled_from(range(4)))
def test_one_fact_that_differs_leaves_its_end_undecided_and_no_other(facts, place, lie):
    end, _, _ = LINKS[place]
    chain, _, channel, _, _ = end
    number = int(channel.removeprefix("channel-")) - 20
    client, connection = f"07-tendermint-{number}", f"connection-{number + 10}"
    odd = [
        ChainFact(CLIENT, chain, client, other_chain="mallory-9", height=99),
        ChainFact(CONNECTION, chain, "07-tendermint-77", connection),
        ChainFact(CHANNEL, chain, None, "connection-77", "transfer", channel),
        ChainFact(CHANNEL, chain, None, connection, "transfer", channel, "wasm.b", "channel-77"),
    ][lie]
    names = Names([*facts, odd])
    assert names.of_channel(*end) == Named()
    assert set(names.conflicts) == {(chain, f"transfer/{channel}")}
    for other_end, other, _ in LINKS:
        if other_end != end:
            assert names.of_channel(*other_end) == Named(other, HANDSHAKE)


def test_a_proof_against_the_handshake_decides_nothing():
    end, _, facts = LINKS[0]
    names = Names([*facts, ChainFact(PROOF, end[0], "07-tendermint-77", None, *end[1:3])])
    assert names.of_channel(*end) == Named()
    assert "clients of proofs" in names.conflicts[end[0], "/".join(end[1:3])]


def test_packets_over_one_connection_share_its_proofs():
    seen = [
        ChainFact(CLIENT, "a-1", "07-tendermint-4", other_chain="b-1"),
        ChainFact(PROOF, "a-1", "07-tendermint-4", None, "transfer", "channel-1"),
        ChainFact(CHANNEL, "a-1", None, "connection-2", "transfer", "channel-1"),
        ChainFact(CHANNEL, "a-1", None, "connection-2", "icahost", "channel-9"),
        ChainFact(CHANNEL, "a-1", None, "connection-3", "transfer", "channel-3"),
    ]
    names = Names(seen)
    assert names.of_channel("a-1", "icahost", "channel-9", "x", "channel-8") == Named("b-1", PROVED)
    assert names.of_channel("a-1", "transfer", "channel-3", "x", "channel-8") == Named()


def test_of_several_revisions_of_one_chain_the_last_counts():
    end, _, facts = LINKS[0]
    claims = [
        ChainFact(CLIENT, end[0], facts[0].client, other_chain=f"beta-{n}", height=10 + n) for n in (9, 4)
    ]
    assert Names([*facts, *claims]).of_channel(*end) == Named("beta-9", HANDSHAKE)


def test_the_users_file_names_what_nothing_else_does_and_must_not_differ():
    end, other, facts = LINKS[0]
    given_of = [Registered(end[0], "", "channel-99", "omega-1"), Registered(end[0], "", end[2], other)]
    names = Names(facts, given_of)
    assert names.of_channel(end[0], "transfer", "channel-99", "", "") == Named("omega-1", REGISTRY)
    assert names.of_channel(end[0], "", "channel-99", "", "") == Named("omega-1", REGISTRY)
    assert names.of_channel(*end) == Named(other, HANDSHAKE)
    against = Names(facts, [Registered(end[0], "transfer", end[2], "omega-1")])
    assert against.of_channel(*end) == Named()
    assert against.conflicts == {
        (end[0], f"transfer/{end[2]}"): f"the client claims {other}, the user's file has omega-1"
    }


def test_a_table_without_ports_takes_the_only_channel_of_that_name():
    end, other, facts = LINKS[0]
    assert Names(facts).of_channel(end[0], "", end[2], "", "") == Named(other, HANDSHAKE)
    twice = ChainFact(CHANNEL, end[0], None, "connection-1", "wasm.x", end[2])
    assert Names([*facts, twice]).of_channel(end[0], "", end[2], "", "") == Named()


def test_clients_of_packets_of_ibc_v2():
    seen = [
        ChainFact(CLIENT, "a-1", "07-tendermint-4", other_chain="b-1"),
        ChainFact(CLIENT, "a-1", "07-tendermint-4", other_client="07-tendermint-8"),
    ]
    names = Names(seen)
    assert names.of_client("a-1", "07-tendermint-4", "07-tendermint-8") == Named("b-1", "client")
    assert names.of_client("a-1", "07-tendermint-5", "07-tendermint-8") == Named()
    assert names.conflicts == {}
    assert names.of_client("a-1", "07-tendermint-4", "07-tendermint-9") == Named()
    assert set(names.conflicts) == {("a-1", "07-tendermint-4")}


def test_the_local_client_leads_back_to_its_chain():
    seen = [ChainFact(CHANNEL, "a-1", None, "connection-localhost", "transfer", "channel-1")]
    assert Names(seen).of_channel("a-1", "transfer", "channel-1", "x", "channel-2") == Named("a-1", HANDSHAKE)
    assert Names([]).of_client("a-1", "09-localhost", "09-localhost") == Named("a-1", "client")


@pytest.mark.parametrize("chain", ["unknown", "unknown-2"])
def test_recordings_without_a_header_name_nobody(chain):
    end, _, facts = LINKS[0]
    facts = [fact._replace(chain=chain) for fact in facts]
    assert Names(facts).of_channel(chain, *end[1:]) == Named()

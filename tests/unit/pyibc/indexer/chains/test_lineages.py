"""Which chains continue each other, decided from plain values."""

import itertools

import pytest

from pyibc.indexer.chains.lineages import (
    CLIENT,
    PACKETS,
    REGISTRY,
    ChainSpan,
    Contradiction,
    Link,
    candidates,
    lineages_of,
)

S = 10**9
ONE = ChainSpan("osmo-1", "osmo-1", "", 1, 50, 1 * S, 50 * S)
TWO = ChainSpan("osmo-2", "osmo-2", "ee", 1, 60, 1001 * S, 1060 * S)
FOUR = ChainSpan("osmo-4", "osmo-4", "", 900, 990, 2000 * S, 2090 * S)
HUB = ChainSpan("hub-4", "hub-4", "", 7, 9, 1 * S, 3000 * S)


def shown(lineages):
    return [(one.span.name, one.lineage, one.known_by, one.base) for one in lineages.members]


def test_evidence_joins_chains_in_any_order_of_the_arguments():
    links = [
        Link("osmo-2", "osmo-1", CLIENT),
        Link("osmo-2", "osmo-4", PACKETS),
        Link("osmo-1", "osmo-2", PACKETS),
    ]
    for chains in itertools.permutations([ONE, TWO, FOUR]):
        for given in itertools.permutations(links):
            found = lineages_of(chains, given, ())
            assert shown(found) == [
                ("osmo-1", "osmo-4", "", 0),
                ("osmo-2", "osmo-4", PACKETS, 50),
                ("osmo-4", "osmo-4", PACKETS, 50),  # its heights are above those of osmo-2
            ]
            assert found.notes == [
                (
                    "osmo-1, osmo-2 and osmo-4 are one chain (known by packets),"
                    " whose packets are listed under osmo-4"
                )
            ]
            assert (found.origin("osmo-4"), found.named("osmo-2"), found.current("osmo-1")) == (
                "osmo-1",
                "osmo-4",
                "osmo-4",
            )
            assert found.continued() == {"osmo-1": "osmo-4", "osmo-2": "osmo-4"}


def test_ids_alone_join_nothing_and_that_is_said():
    found = lineages_of([HUB, TWO, ONE], (), ())
    assert shown(found) == [
        ("hub-4", "hub-4", "", 0),
        ("osmo-2", "osmo-2", "", 0),
        ("osmo-1", "osmo-1", "", 0),
    ]
    (note,) = found.notes
    assert note.startswith("osmo-1 and osmo-2 are listed as separate chains: nothing in the inputs shows")


def test_a_contradiction_keeps_all_chains_of_a_group_apart():
    links = [Link("osmo-1", "osmo-2", PACKETS), Link("osmo-2", "osmo-4", CLIENT)]
    found = lineages_of([ONE, TWO, FOUR], links, [Contradiction("osmo-1", "osmo-4", "it said so")])
    assert {one.lineage for one in found.members} == {"osmo-1", "osmo-2", "osmo-4"}
    assert found.notes == [
        (
            "osmo-1, osmo-2 and osmo-4 are listed as separate chains:"
            " osmo-4 does not continue osmo-1, because it said so"
        )
    ]


def test_revisions_that_ran_at_the_same_time_stay_apart():
    early = TWO._replace(first_ns=50 * S)
    for by in (PACKETS, REGISTRY):
        found = lineages_of([ONE, early], [Link("osmo-1", "osmo-2", by)], ())
        assert {one.lineage for one in found.members} == {"osmo-1", "osmo-2"}
        assert found.notes == [
            (
                "osmo-1 and osmo-2 are listed as separate chains:"
                " osmo-2 has blocks that are no later than the last one of osmo-1"
            )
        ]
    for first_ns in (50 * S + 1, None):
        found = lineages_of([ONE, TWO._replace(first_ns=first_ns)], [Link("osmo-1", "osmo-2", PACKETS)], ())
        assert {one.lineage for one in found.members} == {"osmo-2"}


def test_chains_of_one_revision_are_joined_by_the_user_alone():
    again = ONE._replace(name="osmo-1@22222222", incarnation="2" * 16, first_ns=70 * S, last_ns=90 * S)
    first = ONE._replace(name="osmo-1@11111111", incarnation="1" * 16)
    pair = (first.name, again.name)
    apart = lineages_of([first, again], [Link(*pair, PACKETS)], ())
    assert {one.lineage for one in apart.members} == set(pair)
    joined = lineages_of([first, again], [Link(*pair, REGISTRY)], ())
    assert shown(joined) == [(pair[0], pair[1], "", 0), (pair[1], pair[1], REGISTRY, 50)]
    assert apart.current("osmo-1") == "osmo-1"  # which one, the id does not say


def test_the_user_may_join_chains_of_two_names():
    new = ChainSpan("atlas-1", "atlas-1", "", 51, 70, 60 * S, 90 * S)
    found = lineages_of([new, ONE], [Link("osmo-1", "atlas-1", REGISTRY)], ())
    assert shown(found) == [("osmo-1", "atlas-1", "", 0), ("atlas-1", "atlas-1", REGISTRY, 0)]


@pytest.mark.parametrize(
    ("ids", "names"),
    [
        (["osmo-1", "osmo-2", "hub-4"], [["osmo-1", "osmo-2"]]),
        (["unknown-2", "unknown-3"], []),  # placeholders of recordings
        (["osmo", "osmo-1"], []),
        (["a-b-1", "a-1"], []),
    ],
)
def test_candidates_are_revisions_of_one_name(ids, names):
    chains = [ONE._replace(name=name, chain_id=name) for name in ids]
    assert [[chain.name for chain in group] for group in candidates(chains)] == names


def test_a_base_never_leaves_64_bits():
    huge = ONE._replace(last_height=2**63 - 1)
    found = lineages_of(
        [huge, TWO, FOUR._replace(first_height=1)],
        [Link("osmo-1", "osmo-2", PACKETS), Link("osmo-2", "osmo-4", PACKETS)],
        (),
    )
    assert [one.base for one in found.members] == [0, 2**63 - 1, 2**63 - 1]

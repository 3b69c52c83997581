import random

from pyibc.indexer.chains.ends import decide

A, B, C, D, P, Q = 1, 2, 3, 4, 10, 11


def test_one_common_packet_ties_two_ends():
    found = decide({(P, B): {A: 1}}, {})
    assert (found.senders, found.undecided) == ({(P, B): A}, set())


def test_ends_without_a_common_packet_are_undecided():
    assert decide({(P, B): {}}, {}).undecided == {(P, B)}


def test_two_pairs_on_equally_named_channels():
    assert decide({(P, B): {A: 2}, (P, D): {C: 2}}, {}).senders == {(P, B): A, (P, D): C}


def test_identical_packets_on_two_pairs_are_not_guessed_at():
    assert decide({(P, B): {A: 1, C: 1}, (P, D): {A: 1, C: 1}}, {}).senders == {}


def test_the_channel_back_decides_between_equals():
    scores = {(P, B): {A: 1, C: 1}, (P, D): {A: 1, C: 1}, (Q, A): {B: 1}, (Q, C): {D: 1}}
    assert decide(scores, {P: Q, Q: P}).senders == {(Q, A): B, (Q, C): D, (P, B): A, (P, D): C}


def test_more_common_packets_win_and_a_sender_has_one_other_end():
    found = decide({(P, B): {A: 2}, (P, C): {A: 1}}, {})
    assert (found.senders, found.undecided) == ({(P, B): A}, {(P, C)})


def test_a_chain_is_its_own_other_end_only_if_no_other_is():
    assert decide({(P, A): {A: 1}}, {}).senders == {(P, A): A}
    assert decide({(P, A): {A: 1, B: 1}}, {}).senders == {(P, A): B}


def test_order_does_not_matter():
    scores = [((P, B), {A: 6}), ((P, A), {B: 4}), ((P, D), {A: 1, C: 1}), ((P, C), {D: 3})]
    expected = decide(dict(scores), {P: P})
    for seed in range(5):
        random.Random(seed).shuffle(scores)
        assert decide(dict(scores), {P: P}) == expected
    assert expected.senders == {(P, B): A, (P, A): B, (P, D): C, (P, C): D}

import random

from pyibc.indexer.pairing import PacketSample, pair

A, B, C, D, P, Q = 1, 2, 3, 4, 10, 11


def sent(chain, sequence, timeouts=0, data=0, path=P):
    return PacketSample(path, False, chain, sequence, timeouts, data)


def received(chain, sequence, timeouts=0, data=0, path=P):
    return PacketSample(path, True, chain, sequence, timeouts, data)


def test_one_common_packet_ties_two_ends():
    assert pair([sent(A, 1), received(B, 1)], {}).senders == {(P, B): A}


def test_a_difference_among_few_keeps_them_apart():
    for other in (received(B, 2, timeouts=9), received(B, 2, data=9)):
        found = pair([sent(A, 1), sent(A, 2), received(B, 1), other], {})
        assert (found.senders, found.undecided, found.differing) == ({}, {(P, B)}, {})


def test_one_packet_of_many_that_differs_is_told_and_unpairs_nothing():
    """Regression: a damaged record separated the 499 other packets of a channel."""
    seen = [one(chain, n) for n in range(1, 501) for one, chain in ((sent, A), (received, B))]
    seen[seen.index(received(B, 7))] = received(B, 7, data=9)
    found = pair(seen, {})
    assert (found.senders, found.undecided, found.differing) == ({(P, B): A}, set(), {(P, B): (1, 500)})


def test_more_than_one_in_ten_is_another_channel():
    for differing, paired in ((1, {(P, B): A}), (2, {})):
        seen = [sent(A, n) for n in range(1, 11)]
        seen += [received(B, n, timeouts=n if n <= differing else 0) for n in range(1, 11)]
        assert pair(seen, {}).senders == paired


def test_what_is_not_known_is_no_difference():
    assert pair([sent(A, 1, data=None), received(B, 1, data=7)], {}).senders == {(P, B): A}


def test_ends_without_a_common_packet_are_undecided():
    assert pair([sent(A, 1), received(B, 2)], {}).undecided == {(P, B)}


def test_two_pairs_on_equally_named_channels():
    seen = [sent(A, n, timeouts=n) for n in (1, 2)] + [received(B, n, timeouts=n) for n in (1, 2)]
    seen += [sent(C, n, timeouts=50 + n) for n in (1, 2)] + [received(D, n, timeouts=50 + n) for n in (1, 2)]
    assert pair(seen, {}).senders == {(P, B): A, (P, D): C}


def test_identical_packets_on_two_pairs_are_not_guessed_at():
    seen = [sent(A, 1), sent(C, 1), received(B, 1), received(D, 1)]
    assert pair(seen, {}).senders == {}


def test_the_channel_back_decides_between_equals():
    seen = [sent(A, 1), sent(C, 1), received(B, 1), received(D, 1)]
    seen += [sent(B, 1, timeouts=7, path=Q), received(A, 1, timeouts=7, path=Q)]
    seen += [sent(D, 1, timeouts=8, path=Q), received(C, 1, timeouts=8, path=Q)]
    assert pair(seen, {P: Q, Q: P}).senders == {(Q, A): B, (Q, C): D, (P, B): A, (P, D): C}


def test_more_common_packets_win_and_a_sender_has_one_other_end():
    seen = [sent(A, 1), sent(A, 2), received(B, 1), received(B, 2), received(C, 1)]
    found = pair(seen, {})
    assert (found.senders, found.undecided) == ({(P, B): A}, {(P, C)})


def test_a_chain_is_its_own_other_end_only_if_no_other_is():
    assert pair([sent(A, 1), received(A, 1)], {}).senders == {(P, A): A}
    assert pair([sent(A, 1), sent(B, 1), received(A, 1)], {}).senders == {(P, A): B}


def test_order_does_not_matter():
    seen = [sent(A, n, timeouts=n) for n in range(9)] + [received(B, n, timeouts=n) for n in range(3, 12)]
    seen += [sent(B, n, data=1) for n in range(4)] + [received(A, n, data=1) for n in range(4)]
    expected = pair(seen, {P: P})
    for seed in range(5):
        random.Random(seed).shuffle(seen)
        assert pair(seen, {P: P}) == expected
    assert expected.senders == {(P, B): A, (P, A): B}

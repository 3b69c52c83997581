"""What is kept is bounded by its weight; that refusals leave nothing: unit/light_client/test_kept.py."""

from ibc_core.kept import ENTRY, Kept, kept, weight_of
from ibc_core.value import value


def test_h62_entries_weigh_what_they_are_said_to_and_never_more_than_the_limit():
    memo: Kept[int, bytes] = Kept(20_000)
    for number in range(200):
        memo.keep(number, bytes(1_000), 1_000)
        assert memo.weight == len(memo) * (1_000 + ENTRY) <= 20_000
    assert memo[199] == bytes(1_000)
    assert 0 not in memo


def test_h62_what_is_too_heavy_is_not_kept_and_drives_nothing_away():
    memo: Kept[str, bytes] = Kept(20_000)
    memo.keep("light", b"l", 100)
    memo.keep("heavy", bytes(2_400), 2_400)
    assert list(memo) == ["light"]
    assert memo.weight == 100 + ENTRY


def test_h62_forgetting_everything_frees_the_weight():
    memo: Kept[str, bytes] = Kept(20_000)
    memo.keep("one", b"1", 100)
    memo.clear()
    assert (len(memo), memo.weight) == (0, 0)


def test_h62_a_function_is_asked_again_when_its_results_weigh_too_much():
    asked = []

    @kept(1_000, 10_000)
    def doubled(raw: bytes) -> bytes:
        asked.append(raw[:1])
        return raw * 2

    assert doubled(b"a") == doubled(b"a") == b"aa"
    assert asked == [b"a"]
    for letter in b"bcdefgh":
        doubled(bytes([letter]) * 1_000)
    assert doubled(b"a") == b"aa"
    assert asked.count(b"a") == 2


def test_h62_what_a_function_raises_on_is_not_kept():
    asked = []

    @kept(16)
    def positive(number: int) -> int:
        asked.append(number)
        if number < 0:
            raise ValueError(number)
        return number

    for number in (1, -1, 1, -1):
        try:
            positive(number)
        except ValueError:
            continue
    assert asked == [1, -1, -1]


@value
class Pair:
    left: bytes
    right: tuple[str, ...]


def test_h62_objects_weigh_with_all_that_they_hold():
    assert weight_of(b"x" * 1_000) > 1_000
    assert weight_of((b"x" * 1_000, "y" * 1_000)) > 2_000
    assert weight_of(Pair(b"x" * 1_000, ("y" * 1_000,) * 3)) > 4_000
    assert weight_of(7) < 100

"""Caches are bounded by the weight of their entries; for refused headers see test_header_cache.py."""

from threading import Event, Thread

from pyibc.core.memo import ENTRY, ByteBoundedCache, memoize, weight_of
from pyibc.core.value import value


def test_h62_entries_weigh_what_they_are_said_to_and_never_more_than_the_limit():
    memo: ByteBoundedCache[int, bytes] = ByteBoundedCache(20_000)
    for number in range(200):
        memo.add(number, bytes(1_000), 1_000)
        assert memo.weight == len(memo) * (1_000 + ENTRY) <= 20_000
    assert memo[199] == bytes(1_000)
    assert 0 not in memo


def test_h62_what_is_too_heavy_is_not_kept_and_drives_nothing_away():
    memo: ByteBoundedCache[str, bytes] = ByteBoundedCache(20_000)
    memo.add("light", b"l", 100)
    memo.add("heavy", bytes(2_400), 2_400)
    assert list(memo) == ["light"]
    assert memo.weight == 100 + ENTRY


def test_h62_forgetting_everything_frees_the_weight():
    memo: ByteBoundedCache[str, bytes] = ByteBoundedCache(20_000)
    memo.add("one", b"1", 100)
    memo.clear()
    assert (len(memo), memo.weight) == (0, 0)


def test_h62_a_function_is_asked_again_when_its_results_weigh_too_much():
    asked = []

    @memoize(1_000, 10_000)
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

    @memoize(16)
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


# -- threads: queries are answered beside blocks


class Slow(int):
    """A weight; before it is added to another, a second thread does what it likes."""

    meanwhile = None

    def __add__(self, other):
        return Slow(int(self) + other)

    def __radd__(self, other):
        if Slow.meanwhile is not None:
            run, Slow.meanwhile = Slow.meanwhile, None
            run()
        return other + int(self)


def test_h62_two_threads_that_keep_at_once_weigh_both():
    memo: ByteBoundedCache[str, bytes] = ByteBoundedCache(20_000)
    threads = []

    def beside():
        threads.append(Thread(target=memo.add, args=("two", b"2", 300)))
        threads[0].start()
        threads[0].join(0.2)  # it ends where nobody holds it up

    class Key(str):
        def __hash__(self):
            Slow.meanwhile = beside  # the entry is set: what follows is its weight
            return str.__hash__(self)

    memo.add(Key("one"), b"1", Slow(100))
    threads[0].join()
    assert set(memo) == {"one", "two"}
    assert memo.weight == 100 + 300 + 2 * ENTRY


def test_h62_a_result_that_was_under_way_when_all_was_forgotten_is_weighed():
    begun, go_on = Event(), Event()

    @memoize(1_000, 10_000)
    def made(raw: bytes) -> bytes:
        if raw == b"slow":
            begun.set()
            go_on.wait(10)
            return bytes(5_000)
        return bytes(3_000)

    slow = Thread(target=made, args=(b"slow",))
    slow.start()
    begun.wait(10)
    for number in range(7):
        made(b"%d" % number)
    go_on.set()
    slow.join()
    assert b"slow" in made
    assert made.weight == sum(ENTRY + weight_of(raw) + weight_of(result) for raw, result in made.items())
    assert made.weight <= 10_000


def test_h62_a_result_that_two_threads_make_is_weighed_once():
    begun, go_on = Event(), Event()

    @memoize(10)
    def made(raw: bytes) -> bytes:
        if not begun.is_set():
            begun.set()
            go_on.wait(10)
        return raw * 2

    slow = Thread(target=made, args=(b"a",))
    slow.start()
    begun.wait(10)
    assert made(b"a") == b"aa"
    go_on.set()
    slow.join()
    assert made.weight == ENTRY + weight_of(b"a") + weight_of(b"aa")


def test_h62_what_results_share_weighs_nothing_and_what_is_only_like_it_weighs():
    specs = tuple(f"spec {number}" for number in range(50))

    @memoize(10, shared=specs)
    def made(raw: bytes) -> tuple[object, ...]:
        return (raw, None, specs if raw == b"ours" else tuple(map("".join, specs)))

    made(b"ours")
    assert made.weight == ENTRY + weight_of(b"ours") + weight_of((b"ours", None, ()), ())
    light = made.weight
    made(b"like")
    assert made.weight - light == ENTRY + weight_of(b"like") + weight_of((b"like", None, specs))
    assert weight_of((None,)) > weight_of(())


def test_h62_so_many_results_and_no_more():
    asked = []

    @memoize(3)
    def made(number: int) -> int:
        """What it does."""
        asked.append(number)
        return -number

    assert [made(number) for number in (1, 2, 3, 1, 2, 3)] == [-1, -2, -3] * 2
    assert asked == [1, 2, 3]
    made(4)
    assert list(made) == [4]
    assert made.weight == ENTRY + weight_of(4) + weight_of(-4)
    assert (made.__name__, made.__doc__) == ("made", "What it does.")

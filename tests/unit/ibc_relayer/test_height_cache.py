"""The cache of answers by height."""

from ibc_relayer.height_cache import HeightCache


def test_an_answer_is_asked_for_once_and_the_oldest_goes() -> None:
    asked = []
    cache = HeightCache(2)
    for height in (1, 1, 2, 1, 3, 2, 1):
        assert cache.get(height, lambda h: asked.append(h) or h * 10) == height * 10
    assert asked == [1, 2, 3, 1]


def test_an_answer_that_others_evict_at_once_is_given_all_the_same() -> None:
    """Another thread may fill the cache while an answer is on its way."""
    cache = HeightCache(2)

    def ask(height):
        for other in range(100, 105):
            cache.get(other, lambda h: h)
        return height

    assert cache.get(7, ask) == 7
    assert cache.get(7, lambda _h: 8) == 7

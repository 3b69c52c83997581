"""The fewest steps of a failing seed that still fail."""

from collections.abc import Callable, Sequence


def shrunk(numbers: Sequence[int], fails: Callable[[Sequence[int]], bool], tries: int = 200) -> list[int]:
    """Leaves out ever smaller runs of steps for as long as the rest fails.

    Args:
        numbers: of the steps, which fail together.
        fails: whether these steps do; asked at most `tries` times.
        tries: after so many, what was reached is good enough.
    """
    kept, size = list(numbers), max(1, len(numbers) // 2)
    while size and tries > 0:
        start, smaller = 0, False
        while start < len(kept) and tries > 0:
            rest = kept[:start] + kept[start + size :]
            tries -= 1
            if fails(rest):
                kept, smaller = rest, True
            else:
                start += size
        size = size if smaller and size == 1 else size // 2
    return kept

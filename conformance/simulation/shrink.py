"""Minimisation of the steps of a failing seed."""

from collections.abc import Callable, Sequence


def shrunk(numbers: Sequence[int], fails: Callable[[Sequence[int]], bool], tries: int = 200) -> list[int]:
    """Remove ever shorter runs of steps as long as the rest fails.

    Args:
        numbers: The steps, which fail together.
        fails: Returns whether these steps fail; called at most `tries` times.
        tries: Maximum number of attempts.
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

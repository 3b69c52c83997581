"""Ends of a path that are there already: those that belong together are taken up."""

import pytest

from pyibc.relayer.paths.ends import EndCandidate, match_ends


@pytest.mark.parametrize(
    ("on_a", "on_b", "expected"),
    [
        ([], [], ("", "")),
        ([EndCandidate("a1", "", False)], [], ("a1", "")),
        ([EndCandidate("a1", "", False)], [EndCandidate("b1", "a1", False)], ("a1", "b1")),
        ([], [EndCandidate("b1", "", False)], ("", "b1")),
        ([EndCandidate("a1", "b1", False)], [EndCandidate("b1", "", False)], ("a1", "b1")),
        (
            [EndCandidate("a2", "", False), EndCandidate("a1", "b1", True)],
            [EndCandidate("b1", "a1", True)],
            ("a1", "b1"),
        ),
        ([EndCandidate("a1", "b1", True)], [EndCandidate("b1", "a1", False)], ("a1", "b1")),
        ([EndCandidate("a1", "b9", True)], [], ("a1", "b9")),
    ],
)
def test_ends_to_take_up(on_a, on_b, expected) -> None:
    assert match_ends(on_a, on_b) == expected

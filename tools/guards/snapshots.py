"""Guards of what snapshots cost."""

from tools.guards.mutant import Mutant

PACE = "tests/unit/localnet/comet/test_snapshot_pace.py::"
CHECK = "tests/unit/iavl/test_check.py::"
TAKER = "localnet/comet/statesync.py"

H242 = (
    Mutant(
        "h242-snapshots-are-taken-whatever-they-cost",
        TAKER,
        (("                found *= 2\n", "                break\n"),),
        (
            f"{PACE}test_h242_what_costs_more_is_taken_at_multiples_of_a_longer_interval",
            f"{PACE}test_h242_it_does_not_take_more_than_its_share_as_the_state_grows",
        ),
    ),
    Mutant(
        "h242-the-interval-never-comes-back",
        TAKER,
        (("        found = self._every\n", "        found = self._last\n"),),
        (f"{PACE}test_h242_where_it_costs_less_again_the_interval_is_the_one_that_was_set",),
    ),
    Mutant(
        "h242-none-is-taken-any-more",
        TAKER,
        ((" and found < _MOST_BLOCKS:", " and found < 1 << 60:"),),
        (f"{PACE}test_h242_however_dear_it_is_one_is_taken_some_day",),
    ),
    Mutant(
        "h242-python-never-rests",
        "iavl/restore.py",
        (("            rest()\n", ""),),
        (f"{CHECK}test_python_alone_reads_them_once_and_rests_in_between",),
    ),
    Mutant(
        "what-native-code-refuses-python-does-not-look-at",
        "iavl/restore.py",
        (
            (
                "    return all(checker.feed(chunk) for chunk in chunks) and checker.finish()\n",
                "    return True\n",
            ),
        ),
        (f"{CHECK}test_what_it_refuses_python_looks_at_from_the_start",),
    ),
    Mutant(
        "what-is-missing-at-the-end-is-accepted",
        "iavl/restore.py",
        (("for chunk in chunks) and checker.finish()", "for chunk in chunks)"),),
        (f"{CHECK}test_what_it_refuses_python_looks_at_from_the_start",),
    ),
    Mutant(
        "h242-what-it-once-took-for-a-block-counts",
        TAKER,
        (
            (
                "        before, self._before = self._before,",
                "        before = self._before = self._before or",
            ),
        ),
        (f"{PACE}test_h242_who_has_caught_up_takes_them_as_often_as_others",),
    ),
    Mutant(
        "a-long-record-is-copied-with-each-piece",
        "iavl/restore.py",
        (("max(_PIECE, importer.cut)", "_PIECE"),),
        (f"{CHECK}test_a_record_longer_than_a_piece_is_not_copied_with_each_piece",),
    ),
)

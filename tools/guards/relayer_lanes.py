"""Guards of submissions that are under way at once."""

from tools.guards.mutant import Mutant

EARLY = "tests/unit/ibc_relayer/test_early_heads.py::"
FORESEEN = "tests/unit/ibc_relayer/test_foreseen.py::"
HEIGHTS = "tests/unit/ibc_relayer/test_height_watch.py::"
LANES = "tests/unit/ibc_relayer/test_lanes.py::"
WATCHED = "tests/unit/ibc_relayer/test_watched_heads.py::"

MUTANTS_OF_LANES = (
    Mutant(
        "h189-a-task-twice",
        "ibc_relayer/lanes.py",
        (("            self.held.add(task.key)", "            pass"),),
        (f"{LANES}test_h189_several_submissions_share_no_task",),
    ),
    Mutant(
        "h189-what-took-effect-is-let-go",
        "ibc_relayer/lanes.py",
        (("            if task.key not in effective:\n", "            if True:\n"),),
        (f"{EARLY}test_h189_what_took_effect_is_not_submitted_again_before_its_block_is_read",),
    ),
    Mutant(
        "h239-held-up-to-what-is-claimed",
        "ibc_relayer/lanes.py",
        (("at_tip if up_to is None else 0 < up_to <= height", "at_tip"),),
        (f"{WATCHED}test_h239_what_took_effect_is_held_until_the_block_is_read_that_tells_of_it",),
    ),
    Mutant(
        "h239-let-go-a-block-too-soon",
        "ibc_relayer/lanes.py",
        (("0 < up_to <= height", "0 < up_to <= height + 1"),),
        (f"{WATCHED}test_h239_what_took_effect_is_held_until_the_block_is_read_that_tells_of_it",),
    ),
    Mutant(
        "proofs-of-another-height",
        "ibc_relayer/foreseen.py",
        (("in self._heights.get(height, ())", "in sum(self._heights.values(), [])"),),
        (f"{FORESEEN}test_another_height_is_another_state",),
    ),
    Mutant(
        "proofs-ahead-without-bound",
        "ibc_relayer/foreseen.py",
        (("while len(self._heights) > self._kept:", "while False:"),),
        (f"{FORESEEN}test_of_the_last_heights_alone_anything_is_kept",),
    ),
    Mutant(
        "proofs-ahead-that-failed",
        "ibc_relayer/foreseen.py",
        (("        finally:\n            fetched.is_over.set()", "        finally:\n            pass"),),
        (f"{FORESEEN}test_after_an_error_everything_is_asked_for_again",),
    ),
    Mutant(
        "looked-for-above-a-node-that-lags",
        "ibc_relayer/height_watch.py",
        (("if height >= self._highest[0] or now", "if True or now"),),
        (f"{HEIGHTS}test_of_a_moment_the_highest_is_told",),
    ),
    Mutant(
        "a-watch-that-never-ends",
        "ibc_relayer/height_watch.py",
        ((" or now - began >= WATCH_S:", ":"),),
        (f"{HEIGHTS}test_a_height_that_does_not_change_is_told_after_a_while",),
    ),
    Mutant(
        "h238-a-union-is-empty",
        "ibc_relayer/task.py",
        (("        return any(self._parts)\n", "        return False\n"),),
        (f"{LANES}test_h238_what_several_hold_is_held_whatever_holds_more",),
    ),
    Mutant(
        "h190-closed-too-early",
        "ibc_relayer/lanes.py",
        (("        if not self.under_way(side):", "        if True:"),),
        (f"{LANES}test_h190_a_channel_is_closed_after_all_that_is_under_way",),
    ),
    Mutant(
        "h191-one-for-all",
        "ibc_relayer/lanes.py",
        (("        if not isinstance(error, RelayerError):", "        if True:"),),
        (f"{LANES}test_h191_a_side_that_fails_holds_up_nothing_that_is_for_the_other",),
    ),
    Mutant(
        "h194-from-the-first-block",
        "ibc_relayer/reader.py",
        (("self._endpoints[side].tip().height - blocks", "0"),),
        (
            "tests/unit/ibc_relayer/test_start.py::test_h194_a_chain_that_serves_no_state_queries_is_read_back_so_far_and_no_further",
        ),
    ),
    Mutant(
        "h194-a-front-for-each",
        "ibc_relayer/block_search.py",
        (("        if fresh is None:", "        if True:"),),
        (
            "tests/unit/ibc_relayer/test_start.py::test_h194_however_many_packets_are_looked_for_a_block_is_read_once",
        ),
    ),
    Mutant(
        "h192-headers-without-bound",
        "ibc_relayer/misbehaviour_monitor.py",
        (("        if len(self._waiting) < MAX_WAITING:", "        if True:"),),
        (
            "tests/unit/ibc_relayer/test_link_watch.py::test_h192_headers_that_wait_are_bounded_and_those_dropped_are_told",
        ),
    ),
)

"""Guards of the result tables: runs that are killed, folders that are torn or another's."""

from tools.guards.mutant import Mutant

RESULTS = "tests/unit/ibc_indexer/lake/test_results.py::"
KILLS = "tests/unit/ibc_indexer/lake/test_kills.py::"
SCAN = "tests/unit/ibc_indexer/test_scan.py::"

H110 = (
    Mutant(
        "h110-superseded-files-go-before-the-commit",
        "ibc_indexer/lake/making.py",
        (
            (
                "        self._staging.move()\n",
                (
                    "        for table in (each for each in CONTRACTS if (self._out / each).is_dir()):\n"
                    "            remove_others(self._out / table, {one.name for one in state.files(table)})\n"
                    "        self._staging.move()\n"
                ),
            ),
        ),
        (f"{KILLS}test_h110_a_run_killed_at_some_places_leaves_what_was_and_the_next_one_repairs",),
    ),
)

H111 = (
    Mutant(
        "h111-a-checksum-is-not-compared",
        "ibc_indexer/lake/state.py",
        (('    if data != _HEAD % crc32(body) + body + b"}\\n":\n', "    if False:\n"),),
        (f"{RESULTS}test_h111_results_that_are_not_as_they_were_left_are_made_anew",),
    ),
    Mutant(
        "h111-a-file-s-size-is-not-compared",
        "ibc_indexer/lake/state.py",
        (("    if sizes.get(file.name) != file.size:\n", "    if file.name not in sizes:\n"),),
        (f"{RESULTS}test_h111_results_that_are_not_as_they_were_left_are_made_anew",),
    ),
    Mutant(
        "h111-a-link-is-followed",
        "ibc_indexer/storage/locations.py",
        (("        if not each.is_symlink() and each.is_file()", "        if each.is_file()"),),
        (f"{RESULTS}test_h111_results_that_are_not_as_they_were_left_are_made_anew",),
    ),
)

H112 = (
    Mutant(
        "h112-another-writer-s-files-stay-in-the-log",
        "ibc_indexer/lake/delta.py",
        (
            (
                "for path in sorted(there - wanted.keys())]",
                "for path in ()]",
            ),
        ),
        (f"{RESULTS}test_h112_a_log_that_is_damaged_or_anothers_is_taken_back",),
    ),
    Mutant(
        "h112-other-columns-are-believed",
        "ibc_indexer/lake/delta.py",
        (("        if pa.schema(table.schema().to_arrow()) == schema:\n", "        if True:\n"),),
        (f"{RESULTS}test_h112_a_log_that_is_damaged_or_anothers_is_taken_back",),
    ),
)

H113 = (
    Mutant(
        "h113-a-second-run-is-let-in",
        "ibc_indexer/job.py",
        (("fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)\n", "pass\n"),),
        (f"{RESULTS}test_h113_a_second_run_on_the_same_results_is_refused_and_changes_nothing",),
    ),
)

H114 = (
    Mutant(
        "h114-a-line-whose-json-is-no-block-counts",
        "ibc_indexer/scan.py",
        (("    lines = _sound(lines, incarnations, problems)\n", ""),),
        (f"{SCAN}test_h114_of_a_height_the_first_line_counts_whose_json_is_a_block",),
    ),
)

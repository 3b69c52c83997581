"""Guards of the indexer's input: lines of strangers, heights that lack, folders and nodes of others."""

from tools.guards.mutant import Mutant

TYPES = "tests/unit/ibc_indexer/test_line_types.py::"
SCAN = "tests/unit/ibc_indexer/test_scan.py::"
DAMAGED = "tests/unit/ibc_indexer/test_damaged_exports.py::"
PLUGIN = "tests/unit/ibc_indexer/test_plugin.py::"
EXPORT = "tests/unit/ibc_indexer/test_export.py::"
BACKFILL = "tests/unit/pyibc/cli/test_backfill.py::"
_CAUGHT = """        except (OSError, IbcError) as error:
            self._told(f"{block.chain_id}: block"""

H90 = (
    Mutant(
        "h90-a-json-of-another-height-is-believed",
        "ibc_indexer/lines.py",
        (('    if b"%d" % block.height != height:\n', "    if False:\n"),),
        (f"{TYPES}test_h90_a_field_of_a_wrong_kind_is_named",),
    ),
    Mutant(
        "h90-bytes-that-are-no-text-are-raised",
        "ibc_indexer/line_body.py",
        (
            (
                "(msgspec.DecodeError, UnicodeDecodeError, RecursionError)",
                "(msgspec.DecodeError, RecursionError)",
            ),
        ),
        (f"{TYPES}test_h90_bytes_that_are_no_text_in_the_json_are_named",),
    ),
    Mutant(
        "h90-fields-that-nobody-knows-are-passed-over",
        "ibc_indexer/line_body.py",
        (
            (
                "class _BlockBody(Struct, forbid_unknown_fields=True, gc=False):",
                "class _BlockBody(Struct, gc=False):",
            ),
        ),
        (f"{TYPES}test_h90_a_field_of_a_wrong_kind_is_named",),
    ),
    Mutant(
        "h90-what-is-no-file-of-lines-is-passed-over",
        "ibc_indexer/scan.py",
        (("    return scanned._replace(skipped=refused + scanned.skipped)", "    return scanned"),),
        (f"{SCAN}test_h90_what_is_no_file_of_lines_is_named",),
    ),
)

H91 = (
    Mutant(
        "h91-a-block-known-in-part-is-covered",
        "ibc_indexer/coverage.py",
        (
            (
                "        return Coverage(self.full - lost, self.part | lost, self.incarnation)",
                "        return self",
            ),
        ),
        (f"{DAMAGED}test_h91_what_is_left_of_an_export_is_known_to_the_height",),
    ),
)

H92 = (
    Mutant(
        "h92-a-full-disk-stops-the-chain",
        "ibc_indexer/plugin.py",
        (
            (
                _CAUGHT,
                _CAUGHT.replace("(OSError, IbcError)", "IbcError"),
            ),
        ),
        (f"{PLUGIN}test_h92_a_full_disk_is_told_once_and_leaves_no_gap",),
    ),
    Mutant(
        "h92-another-chain-s-lines-stop-the-chain",
        "ibc_indexer/plugin.py",
        (
            (
                _CAUGHT,
                _CAUGHT.replace("(OSError, IbcError)", "OSError"),
            ),
        ),
        (f"{PLUGIN}test_h92_another_history_is_told_and_changes_nothing",),
    ),
)

H93 = (
    Mutant(
        "h93-a-chain-started-anew-is-mixed-in",
        "ibc_indexer/export.py",
        (
            (
                "        if self._incarnation and head.incarnation != self._incarnation:\n",
                "        if False:\n",
            ),
        ),
        (f"{EXPORT}test_h93_a_chain_started_anew_is_refused_and_changes_nothing",),
    ),
)

H94 = (
    Mutant(
        "h94-headers-need-not-follow-each-other",
        "pyibc/cli/backfill.py",
        (("                    self._check_link(height, found)\n", ""),),
        (f"{BACKFILL}test_h94_headers_that_do_not_follow_each_other_are_refused",),
    ),
    Mutant(
        "h94-an-answer-of-another-height-is-believed",
        "ibc_relayer/rpc_blocks.py",
        (
            ("        self._require(height, block.chain_id, block.height)\n        told", "        told"),
            ("        if told != height:\n", "        if False:\n"),
        ),
        (
            f"{BACKFILL}test_h94_an_answer_of_another_block_is_refused",
            f"{BACKFILL}test_h94_results_of_another_height_are_refused",
        ),
    ),
    Mutant(
        "h94-a-node-s-block-hash-is-not-compared",
        "ibc_relayer/block_nodes.py",
        (("                if one != two:\n", "                if False:\n"),),
        (f"{BACKFILL}test_h94_a_node_of_another_chain_is_refused_and_named",),
    ),
    Mutant(
        "h94-a-folder-s-block-is-not-compared",
        "pyibc/cli/backfill.py",
        (
            (
                "        if common.ranges and not self._holds(blocks.fetch(common.last)):\n",
                "        if False:\n",
            ),
        ),
        (f"{BACKFILL}test_h94_a_chain_started_anew_is_refused_by_the_folder",),
    ),
)

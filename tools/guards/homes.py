"""Guards of what a chain stores: the commit point, signatures, snapshots, pruning, records on the disk."""

from tools.guards.mutant import Mutant, moved

COMMIT = "tests/unit/localnet/test_commit_point.py::"
CUT = "tests/unit/localnet/test_power_cut.py::"
LOCK = "tests/unit/localnet/test_home_lock.py::"
PRUNING = "tests/unit/localnet/test_pruning.py::"
VERIFY = "tests/unit/localnet/test_verify.py::"
SYNC = "tests/unit/localnet/comet/test_statesync.py::"
EXPORT = "tests/unit/iavl/test_export.py::"
PLUGIN = "tests/unit/ibc_indexer/test_plugin.py::"

H104 = (
    Mutant(
        "h104-the-page-that-names-a-block-is-not-flushed",
        "localnet/key_value.py",
        (("map_size=map_bytes)", "map_size=map_bytes, metasync=False)"),),
        (f"{CUT}test_h104_every_state_after_a_power_cut_opens_and_unmakes_nothing",),
    ),
    Mutant(
        "h104-a-signature-is-not-flushed",
        "localnet/durable.py",
        (("            os.fdatasync(file)\n", "            pass\n"),),
        (f"{CUT}test_h104_every_state_after_a_power_cut_opens_and_unmakes_nothing",),
    ),
    Mutant(
        "h104-a-new-home-is-not-marked",
        "localnet/beginning.py",
        (("            self._marker.touch()\n", "            pass\n"),),
        (f"{COMMIT}test_h104_a_home_whose_first_block_was_never_stored_begins_again",),
    ),
    moved(
        "h104-the-state-commits-before-the-block-is-stored",
        "localnet/chain.py",
        "        self.blocks.save(record, after.next_validators, oldest)\n",
        "        self.app.commit()\n",
        f"{COMMIT}test_h104_the_order_in_which_a_block_reaches_the_disk_and_others",
    ),
    Mutant(
        "h104-another-block-is-signed-at-a-height",
        "localnet/consensus/sign_state.py",
        (("            raise DoubleSign(", "            DoubleSign("),),
        (f"{COMMIT}test_h104_nobody_signs_two_blocks_of_a_height",),
    ),
    Mutant(
        "h104-a-signed-block-is-forgotten",
        "localnet/chain.py",
        (("            self._finish_signed()\n", ""),),
        (
            f"{COMMIT}test_h104_a_block_that_was_signed_is_finished_whatever_fails_after",
            f"{COMMIT}test_h104_with_blocks_and_state_lost_the_signed_block_is_made_the_same",
        ),
    ),
    Mutant(
        "h104-a-state-ahead-of-the-blocks-is-taken",
        "localnet/recovery.py",
        (("    if height > stored:\n", "    if False:\n"),),
        (f"{COMMIT}test_h104_a_state_ahead_of_the_blocks_is_refused_by_both_heights",),
    ),
    Mutant(
        "h104-lost-blocks-are-made-anew",
        "localnet/recovery.py",
        (("    if signed.height > state.height + 1:\n", "    if False:\n"),),
        (f"{COMMIT}test_h104_with_more_blocks_lost_than_one_nothing_is_made",),
    ),
    Mutant(
        "h104-only-one-block-is-executed-again",
        "localnet/recovery.py",
        (("range(app.store.next_version, stored)", "range(stored, stored)"),),
        (f"{COMMIT}test_h104_a_state_behind_the_blocks_is_brought_up_to_them",),
    ),
)

H105 = (
    Mutant(
        "h105-inner-nodes-are-believed",
        "iavl/restore.py",
        (("        if found != self._expected():\n", "        if False:\n"),),
        (f"{EXPORT}test_h105_bytes_that_are_no_export",),
    ),
    Mutant(
        "h105-leaves-are-believed",
        "iavl/restore.py",
        (("            if expected and node.hash != expected:\n", "            if False:\n"),),
        (
            f"{EXPORT}test_h105_a_made_up_node_is_refused_within_eight_leaves",
            f"{SYNC}test_h105_a_lying_chunk_is_refused_when_it_comes_and_its_sender_left",
        ),
    ),
    Mutant(
        "h105-trees-without-hashes-are-of-any-height",
        "iavl/restore.py",
        (("        if low > LOW_HEIGHT:\n", "        if False:\n"),),
        (f"{EXPORT}test_h105_bytes_that_are_no_export",),
    ),
    Mutant(
        "h105-the-head-is-believed",
        "iavl/restore.py",
        (("        if found != self.app_hash:\n", "        if False:\n"),),
        (f"{EXPORT}test_h105_another_app_hash_is_refused_at_the_first_record",),
    ),
    Mutant(
        "h105-what-was-read-for-an-export-stays",
        "iavl/export.py",
        (("        if loader is not None:\n", "        if False:\n"),),
        (f"{EXPORT}test_h105_what_is_in_memory_does_not_grow_with_the_state",),
    ),
    Mutant(
        "h105-a-liar-is-asked-again",
        "localnet/comet/statesync.py",
        (("REJECT_SNAPSHOT, [], [sender])", "REJECT_SNAPSHOT)"),),
        (f"{SYNC}test_h105_a_lying_chunk_is_refused_when_it_comes_and_its_sender_left",),
    ),
    Mutant(
        "h105-an-import-that-was-given-up-goes-on",
        "iavl/disk/importing.py",
        (("        if self._is_over:\n", "        if False:\n"),),
        (f"{EXPORT}test_h105_a_restore_that_was_given_up_leaves_nothing_and_takes_nothing",),
    ),
)

H106 = (
    Mutant(
        "h106-snapshots-are-not-read-back",
        "localnet/comet/snapshots.py",
        (("            _check(unfinished, taken, len(hashes) // _HASH_BYTES)\n", ""),),
        (f"{SYNC}test_h106_a_snapshot_that_the_disk_changed_is_never_offered",),
    ),
    Mutant(
        "h106-chunks-are-given-as-they-are",
        "localnet/comet/snapshots.py",
        (("        if raw and sha256(raw).digest() != expected:\n", "        if False:\n"),),
        (f"{SYNC}test_h106_a_snapshot_that_rots_later_is_no_longer_given",),
    ),
    Mutant(
        "h106-the-name-of-a-snapshot-is-not-flushed",
        "localnet/comet/snapshots.py",
        (("            sync_folder(self._folder)\n", ""),),
        (f"{SYNC}test_h106_a_snapshot_is_on_the_disk_before_it_has_its_name",),
    ),
)

H107 = (
    Mutant(
        "h107-who-looks-does-not-wait-at-the-door",
        "localnet/home_lock.py",
        (("        with _door(home), (home / LOCK_FILE)", "        with (home / LOCK_FILE)"),),
        (
            f"{LOCK}test_h107_who_asks_for_the_owner_stands_in_no_start_s_way",
            f"{LOCK}test_h107_an_owner_that_just_starts_is_an_owner",
        ),
    ),
    Mutant(
        "h107-what-others-need-is-pruned",
        "localnet/retention.py",
        (("min(height - retention.keep_blocks + 1, needed)", "height - retention.keep_blocks + 1"),),
        (f"{PRUNING}test_h107_nothing_that_is_needed_is_pruned",),
    ),
    Mutant(
        "h107-one-block-deletes-any-number",
        "localnet/blockstore.py",
        (("self.first + PRUNED_AT_ONCE", "self.first + 10**9"),),
        (f"{PRUNING}test_h107_a_smaller_setting_takes_some_blocks_with_each_new_one",),
    ),
    Mutant(
        "h107-a-lost-state-begins-where-the-blocks-do",
        "localnet/recovery.py",
        (("    if app.store.next_version < blocks.first:\n", "    if False:\n"),),
        (f"{COMMIT}test_h107_pruned_blocks_do_not_bring_back_a_lost_state",),
    ),
    Mutant(
        "h107-a-failed-close-leaves-the-state-open",
        "iavl/disk/storage.py",
        (("        finally:\n            self._env.close()\n", "        finally:\n            pass\n"),),
        (f"{PRUNING}test_h107_a_close_that_fails_leaves_nothing_open",),
    ),
)

H108 = (
    Mutant(
        "h108-records-of-blocks-are-believed",
        "localnet/blockstore.py",
        (("        if _seal(key, raw[_SEAL:]) != raw[:_SEAL]:\n", "        if False:\n"),),
        (f"{COMMIT}test_h108_every_changed_byte_of_a_block_s_record_is_refused",),
    ),
    Mutant(
        "h108-a-file-that-is-cut-short-is-mapped",
        "localnet/key_value.py",
        (("                data_file.check(path, map_bytes)\n", "                pass\n"),),
        (f"{COMMIT}test_h108_a_block_store_that_is_cut_short_is_refused",),
    ),
    Mutant(
        "h108-signatures-are-not-verified",
        "localnet/verify/blocks.py",
        (("            check_commit_of(signed, self._chain_id, validators)\n", ""),),
        (f"{VERIFY}test_h108_a_block_that_contradicts_its_hashes_or_signatures_is_told",),
    ),
)

H109 = (
    Mutant(
        "h109-only-gaps-between-lines-are-filled",
        "ibc_indexer/plugin.py",
        (("exporter.heights.lacking(self._first, exporter.last_height)", "exporter.heights.gaps()"),),
        (f"{PLUGIN}test_h109_lines_that_were_never_flushed_are_found_wherever_they_were",),
    ),
    Mutant(
        "h109-lines-are-not-flushed",
        "ibc_indexer/plugin.py",
        (("sync=self._sync, ", ""),),
        (f"{PLUGIN}test_h109_lines_of_a_host_without_blocks_are_on_the_disk_when_the_hook_returns",),
    ),
)

REMOVAL = "tests/unit/localnet/test_removal.py::"

H232 = (
    Mutant(
        "h232-a-removal-keeps-the-name",
        "localnet/removal.py",
        (("    folder.rename(aside)\n    shutil.rmtree(aside)\n", "    shutil.rmtree(folder)\n"),),
        (f"{REMOVAL}test_h232_a_removal_that_is_killed_leaves_no_network_to_go_on_from",),
    ),
    Mutant(
        "h232-networks-are-made-over-old-state",
        "localnet/network.py",
        (("            if started_homes(self.folder):\n", "            if False:\n"),),
        (f"{REMOVAL}test_h232_a_network_without_its_settings_is_not_made_anew_over_its_state",),
    ),
)

"""Guards of the tree's disk: rot, files that are cut, readers beside blocks, machines that refuse."""

from tools.guards.mutant import Mutant

READERS = "tests/unit/iavl/disk/test_readers.py::"
ROT = "tests/unit/iavl/disk/test_rot.py::"
FILE = "tests/unit/iavl/disk/test_data_file.py::"
FAILURES = "tests/unit/iavl/disk/test_failures.py::"

H100 = (
    Mutant(
        "h100-versions-are-rebuilt-under-the-stores-lock",
        "iavl/multistore.py",
        (
            (
                "            past = self._recent(tree, info.version)\n        past = past or",
                "            past = self._recent(tree, info.version) or",
            ),
        ),
        (f"{READERS}test_h100_blocks_are_committed_while_an_old_version_is_rebuilt",),
    ),
    Mutant(
        "h100-readers-wait-for-ever",
        "iavl/disk/history.py",
        (
            (
                "if not self._turn.acquire(timeout=self._patience_ms / 1000):",
                "if not self._turn.acquire(timeout=60):",
            ),
        ),
        (f"{READERS}test_h100_one_version_is_rebuilt_at_a_time_and_others_wait_for_so_long",),
    ),
    Mutant(
        "h100-readers-keep-their-transaction",
        "iavl/disk/environment.py",
        (("            self._txn.abort()\n        finally:", "            pass\n        finally:"),),
        (f"{READERS}test_h100_no_transaction_of_readers_outlives_a_step",),
    ),
    Mutant(
        "h100-pruning-is-called-corruption",
        "iavl/past.py",
        (("    if version not in kept:\n", "    if False:\n"),),
        (
            f"{READERS}test_h100_pruning_that_overtakes_a_rebuild_is_told",
            f"{READERS}test_h100_pruning_that_overtakes_an_iterator_is_told",
        ),
    ),
)

H101 = (
    Mutant(
        "h101-inner-nodes-are-not-hashed-and-not-checked",
        "iavl/disk/nodes.py",
        (
            (
                "if sha256(preimage).digest() != node.hash or crc32(record, serial) != _RESIDUE:",
                "if False:",
            ),
        ),
        (f"{ROT}test_h101_a_changed_byte_of_a_record_is_refused",),
    ),
    Mutant(
        "h101-what-the-hash-leaves-out-is-not-checked",
        "iavl/disk/nodes.py",
        ((" or crc32(record, serial) != _RESIDUE:", ":"),),
        (f"{ROT}test_h101_what_an_inner_nodes_hash_leaves_out_is_checked",),
    ),
    Mutant(
        "h101-the-check-leaves-out-the-serial",
        "iavl/disk/nodes.py",
        (
            (" or crc32(record, serial) != _RESIDUE:", " or crc32(record) != _RESIDUE:"),
            ("_CHECK.pack(crc32(body, node.serial))", "_CHECK.pack(crc32(body))"),
        ),
        (f"{ROT}test_h101_a_nodes_check_knows_its_serial",),
    ),
    Mutant(
        "h101-leaves-are-not-hashed",
        "iavl/disk/nodes.py",
        (
            (
                "HASH_LENGTH, content))).digest() != node.hash:",
                "HASH_LENGTH, content))).digest() == key:",
            ),
        ),
        (f"{ROT}test_h101_a_changed_byte_of_a_record_is_refused",),
    ),
    Mutant(
        "h101-seals-are-not-compared",
        "iavl/disk/seal.py",
        (("record[-SIZE:] != sha256(", "not sha256("),),
        (f"{ROT}test_h101_a_changed_byte_of_a_record_is_refused",),
    ),
    Mutant(
        "h101-any-block-may-be-the-last",
        "iavl/disk/blocks.py",
        (("    if version != written:\n", "    if False:\n"),),
        (f"{ROT}test_h101_a_lost_end_of_the_log_is_told",),
    ),
)

H102 = (
    Mutant(
        "h102-a-short-file-is-mapped",
        "iavl/disk/data_file.py",
        (("    if faults := structure_faults(folder):\n", "    if faults := []:\n"),),
        (f"{FILE}test_h102_a_file_cut_anywhere_is_refused",),
    ),
    Mutant(
        "h102-a-lost-file-is-a-new-chain",
        "iavl/disk/data_file.py",
        (("    if (folder / _LMDB_LOCK).exists():\n", "    if False:\n"),),
        (f"{FILE}test_h102_a_file_that_is_gone_is_no_new_chain",),
    ),
)

H103 = (
    Mutant(
        "h103-a-full-disk-is-any-failure",
        "iavl/disk/failures.py",
        (("    errno.ENOSPC: DiskFull,\n", ""),),
        (f"{FAILURES}test_h103_every_refusal_has_its_class",),
    ),
    Mutant(
        "h103-a-failed-close-keeps-the-lock",
        "iavl/disk/environment.py",
        (
            (
                "            finally:\n                self._lock.release()",
                "            else:\n                self._lock.release()",
            ),
        ),
        (f"{FAILURES}test_h103_an_lmdb_that_cannot_close_leaves_the_folder_free",),
    ),
)

"""Guards of the tree's two engines: no other version is used, and no half of a write is committed."""

from tools.guards.mutant import Mutant

_TREE, _SEAM = "iavl/tree.py", "iavl/engine.py"
TESTS = "tests/unit/iavl/test_engine.py::"
NEVER = f"{TESTS}test_h222_what_a_fallen_write_left_is_never_committed"
WHOLE = f"{TESTS}test_h222_a_multistore_commits_none_of_a_block_in_which_one_store_fell"

H199 = (
    Mutant(
        "h199-any-version-of-the-tree",
        _SEAM,
        (("    if found != VERSION:", "    if tree is None:"),),
        (f"{TESTS}test_h199_another_version_of_the_tree_is_not_used",),
    ),
)
H222 = (
    Mutant(
        "h222-a-half-written-tree-is-hashed",
        _TREE,
        (("        if self._is_half_written:\n", "        if False:\n"),),
        (NEVER, WHOLE),
    ),
    Mutant(
        "h222-only-exceptions-are-noticed",
        _TREE,
        (
            (
                """            self.root = engine.now.apply_changes(self.root, changes, self.orphans)
        except BaseException:
""",
                """            self.root = engine.now.apply_changes(self.root, changes, self.orphans)
        except Exception:
""",
            ),
        ),
        (NEVER, WHOLE),
    ),
)

"""The page of the security entries' tests is made from the names of tests."""

from tools.lint_tree.tree import Tree
from tools.security import INTRO, security_tests_page

PAGE = "**H7** First.<br>\nHeld.\n\n**H5** Second.<br>\nHeld.\n\n**D1** Third.<br>\nHeld.\n"
FILES = {
    "docs/security.md": PAGE,
    "tests/unit/test_b.py": "def test_h5_y(): pass\ndef test_h5_d1_x(): pass\ndef test_h50_z(): pass\n",
    "tests/test_a.py": "class TestA:\n    def test_h7_a(self): pass\n",
    "tests/helper.py": "def test_h7_helper(): pass\n",
}


def test_tests_are_listed_under_each_entry_of_their_names():
    b = "- [unit/test_b.py](../tests/unit/test_b.py): "
    assert security_tests_page(Tree(FILES)) == "\n\n".join(
        [
            INTRO,
            "**H7**",
            "- [test_a.py](../tests/test_a.py): `test_h7_a`",
            "**H5**",
            f"{b}`test_h5_d1_x`, `test_h5_y`",
            "**D1**",
            f"{b}`test_h5_d1_x`\n",
        ]
    )

"""The comments that mark guards, and what is complained of."""

import ast

import pytest

from tools.mutants.marks import BadMark, complaints, guards, marks_of, mutated, places

SOURCE = '''\
"""A module."""


# guard: h5-outside drop:wrapped test_one
@wrapped
def check(number):
    """Check it."""
    # Why this is so.
    # guard: h5-negative test_one
    # guard: h5-swapped swap other/test_twins::test_two
    #   test_one
    if number < 0:
        raise ValueError(number)
    # guard: h5-large
    #   {number > 9 => number > 10} test_one
    elif number > 9:
        raise KeyError(number)
    number += 1
    # guard: h5-large drop
    return number
'''
TEST = "def test_one():\n    pass\n\n\nclass TestTwins:\n    def test_two(self):\n        pass\n"


@pytest.fixture
def tree(tmp_path):
    """A project with one module, which is as `SOURCE` until it is written anew, and three tests."""
    files = {
        "shipped/module.py": SOURCE.replace("test_twins::", "test_twins::TestTwins::"),
        "tests/test_ones.py": TEST.replace("test_two", "test_three"),
        "tests/other/test_twins.py": TEST.replace("test_one", "test_four"),
        "tests/test_twins.py": TEST.replace("test_one", "test_five"),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def marked(mark, code="if a:\n    b()", name="h5"):
    return "\n".join(f"# guard: {name} {each}" for each in mark.split("\n")) + f"\n{code}\n"


def test_marks_are_read():
    found = [
        (mark.line, mark.below, mark.name, mark.operator, mark.tests) for mark in marks_of("m.py", SOURCE)
    ]
    assert found == [
        (4, 5, "h5-outside", "drop:wrapped", ("test_one",)),
        (9, 12, "h5-negative", "drop", ("test_one",)),
        (10, 12, "h5-swapped", "swap", ("other/test_twins::test_two", "test_one")),
        (14, 16, "h5-large", "{number > 9 => number > 10}", ("test_one",)),
        (19, 20, "h5-large", "drop", ()),
    ]


def test_guards_know_their_tests_by_node(tree):
    found = {guard.name: guard for guard in guards(tree, ["shipped"])}
    assert found["h5-swapped"].tests == (
        "tests/other/test_twins.py::TestTwins::test_two",
        "tests/test_ones.py::test_one",
    )
    assert len(found["h5-large"].marks) == 2
    assert complaints(tree, ["shipped"], worst=["h5"]) == []


def test_a_guard_is_taken_away():
    marks = {
        name: [m for m in marks_of("m.py", SOURCE) if m.name == name] for name in ("h5-large", "h5-outside")
    }
    large, outside = (mutated(SOURCE, each) for each in marks.values())
    assert "elif number > 10:" in large.source
    assert "return None" in large.source
    assert large.functions == ("check",)
    assert "@wrapped" not in outside.source
    assert outside.functions == ()  # it is not only the code of a function


def test_the_outermost_function_is_the_one_that_changes():
    source = "class A:\n    def f(self):\n        def g():\n            return 1\n        return g\nx = 1\n"
    found = places(ast.parse(source))
    assert [found[line].function for line in (2, 4, 5, 6)] == ["", "A.f", "A.f", ""]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (marked("what"), "m.py:1: h5: not NAME [OPERATOR] TEST ..."),
        (marked("drop"), "m.py:1: h5: no test"),
        (marked("test_none"), "m.py:1: h5: 0 tests are test_none"),
        (marked("test_two"), "m.py:1: h5: 2 tests are test_two"),
        (marked("drop:c test_one"), "m.py:1: h5: drop:c does not apply: no part to leave out mentions c"),
        (marked("test_one", "if False:\n    b()"), "m.py:1: h5: drop changes nothing"),
        (marked("test_one", "else_where"), ""),
        (marked("test_one", ""), "m.py:1: h5: no statement begins below it"),
        (marked("test_one", name="h6"), "docs/security.md:1: h5: no guard"),
    ],
)
def test_h6_bad_marks_are_complained_of(tree, text, complaint):
    (tree / "shipped/module.py").unlink()
    (tree / "shipped/m.py").write_text(text, encoding="utf-8")
    found = complaints(tree, ["shipped"], worst=["h5"])
    assert any(complaint in each for each in found) if complaint else found == []


def test_a_name_stands_for_guards_of_one_file(tree):
    (tree / "shipped/n.py").write_text(marked("test_one", name="h5-large"), encoding="utf-8")
    (found,) = complaints(tree, ["shipped"], worst=[])
    assert found == "shipped/n.py:1: h5-large: the name is taken in shipped/module.py"


def test_a_bad_mark_says_where_it_is():
    with pytest.raises(BadMark, match=r"^m\.py:1: h5: not NAME"):
        list(marks_of("m.py", marked("test_one what")))

"""Each rule complains about a bad example, by file and line, and about no good one."""

import pytest

from tools.lint_tree import determinism, values
from tools.lint_tree.rules import RULES
from tools.lint_tree.tree import Tree

CHECKS = {rule.name: rule.check for rule in RULES}


def said(name, root=None, **files):
    """What a rule says of files. `__` stands for `/` in a name without one; .py is the usual ending."""
    paths = {path if "/" in path else path.replace("__", "/"): text for path, text in files.items()}
    named = {path if "." in path else f"{path}.py": text for path, text in paths.items()}
    tree = Tree(named) if root is None else Tree(named, root)
    return [str(complaint) for complaint in CHECKS[name](tree)]


COVERED = "| 000-1-1 | a sentence | `keepers/a.py:f` | `tests/unit/test_a.py::test_f` |"
ENTRY = "**H5** What happened to them there.<br>\nWhat holds it.\n"
LAYERS = '[[tool.importlinter.contracts]]\ntype = "layers"\nlayers = ["a"]'
EXAMPLES = [
    (
        "error-texts-in-state",
        {"handlers__a": "def f(error):\n    return str(error)"},
        "handlers/a.py:2: the text of an error",
        {"handlers__a": "def f(error):\n    return error.code", "localnet__a": "str(error)"},
    ),
    (
        "store-keys",
        {"keepers__a": 'KEY = b"channelEnds/ports"'},
        "keepers/a.py:1: 'channelEnds/': use the function of pyibc.core.paths",
        {"keepers__a": '"""Writes channelEnds/..."""', "pyibc__core__paths": 'KEY = b"channelEnds/"'},
    ),
    (
        "acknowledgements",
        {"pyibc__apps__mine": "found = acks.parse(raw)"},
        "pyibc/apps/mine.py:1: acks.parse: use parse_acknowledgement",
        {"pyibc__apps__mine": "found = parse_acknowledgement(raw)"},
    ),
    (
        "recursion",
        {"keepers__a": "def f(x):\n    return g(x)\n\n\ndef g(x):\n    return f(x)"},
        "keepers/a.py:1: f, g: say above one `def`",
        {"keepers__a": "# recursion: at most ten deep\ndef f(x):\n    return f(x)"},
    ),
    (
        "sizes",
        {"keepers__a": '"""A."""\n' + "x = 1\n" * 400},
        "keepers/a.py:401: 401 lines: at most 400",
        {"keepers__a": '"""A."""\n\n\ndef f():\n' + "    g()\n" * 39},
    ),
    (
        "sizes",
        {"keepers__a": '"""A."""\n\n\ndef f():\n' + "    g()\n" * 40},
        "keepers/a.py:4: f has 41 lines",
        {"keepers__a": '"""A."""\n\n\ndef f():\n    # guard: h1-a\n    #   test_f\n' + "    g()\n" * 39},
    ),
    ("sizes", {"keepers__a": "x = 1"}, "keepers/a.py:1: a module without a docstring", {}),
    (
        "handler-sections",
        {"handlers__a": "def execute():\n    # EVENTS: first\n    # STATE\n    pass\n"},
        "handlers/a.py:2: execute: EVENTS, STATE are not in the order",
        {"handlers__a": "def execute():\n    # STATE\n    # EVENTS\n    pass\n"},
    ),
    (
        "handler-sections",
        {"handlers__a": "def validate():\n    verify_membership()\ndef execute():\n    pass\n"},
        "handlers/a.py:1: it verifies a proof: name the section",
        {"handlers__a": "def validate():\n    # PROOF\n    verify_membership()"},
    ),
    (
        "docstrings",
        {"keepers__a": '"""What it keeps."""'},
        "keepers/a.py:1: a docstring begins with 'What'",
        {"keepers__a": '"""Keeper of channels."""', "tests__a": '"""What it keeps."""'},
    ),
    (
        "docstrings",
        {"keepers__a": '"""A."""\nLIMIT = 3\n"""How many."""'},
        "keepers/a.py:3: a docstring begins with 'How'",
        {"keepers__a": '"""A."""\nLIMIT = 3\n"""Most connections at once."""'},
    ),
    (
        "docstrings",
        {"keepers__a": '"""A."""\n\n\ndef f():\n    """Returns it."""'},
        "keepers/a.py:4: a docstring begins with 'Returns'",
        {"keepers__a": '"""A."""\n\n\ndef f():\n    """Return it."""\n\n\nclass B:\n    """Returns."""'},
    ),
    (
        "test-folders",
        {"tests__unit__gone__test_a": "", "keepers__a": ""},
        "tests/unit/gone/test_a.py:1: there is no folder gone",
        {"tests__unit__keepers__test_a": "", "keepers__a": ""},
    ),
    (
        "test-folders",
        {"tests/road/__init__.py": ""},
        "tests/road/__init__.py:1: a test folder is no package",
        {},
    ),
    (
        "architecture",
        {"docs/architecture.md": "", "keepers/__init__.py": '"""State."""'},
        "docs/architecture.md:1: the tree has no line for keepers/",
        {},
    ),
    (
        "security-page",
        {"docs__security.md": ENTRY, "tests__test_a": "def test_h50_x(): pass"},
        "docs/security.md:1: H5: no test is named after it (test_h5_...)",
        {"docs__security.md": ENTRY, "tests__test_a": "def test_h5_x(): pass"},
    ),
    (
        "security-page",
        {"docs__security.md": ENTRY, "tests__test_a": "def test_h7_x(): pass"},
        "tests/test_a.py:1: test_h7_x is named after H7, which is no entry",
        {"docs__security.md": ENTRY, "tests__test_a": "def test_h5_x(): pass"},
    ),
    (
        "security-page",
        {"docs__security.md": ENTRY.replace("\n", "\n\n"), "tests__test_a": "def test_h5_x(): pass"},
        "docs/security.md:1: H5: say what happened, <br>, and what holds it here",
        {"docs__security.md": ENTRY, "tests__test_a": "def test_h5_x_and_more(): pass"},
    ),
    (
        "security-page",
        {"docs__security.md": ENTRY * 2, "tests__test_a": "def test_h5_x(): pass"},
        "docs/security.md:1: an entry stands there twice",
        {},
    ),
    (
        "coverage-page",
        {"docs__spec-coverage.md": COVERED, "keepers__a": "", "tests__unit__test_a": "def test_f(): pass"},
        "docs/spec-coverage.md:1: 000-1-1: keepers/a.py has no f",
        {
            "docs__spec-coverage.md": COVERED,
            "keepers__a": "def f(): pass",
            "tests__unit__test_a": "def test_f(): pass",
        },
    ),
    (
        "coverage-page",
        {"docs__spec-coverage.md": COVERED, "keepers__a": "def f(): pass", "tests__unit__test_a": ""},
        "000-1-1: tests/unit/test_a.py has no test test_f",
        {},
    ),
    ("coverage-page", {"docs__spec-coverage.md": "| 000-1-2 | a | b | c |"}, "000-1-2 does not follow", {}),
    (
        "coverage-page",
        {"docs__spec-coverage.md": "| 000-1-1 | a |  |  |"},
        "it names no code, or no test",
        {},
    ),
    (
        "public-imports",
        {"pyibc__examples__a": "from pyibc import Pipelines"},
        "pyibc/examples/a.py:1: pyibc.Pipelines is not public",
        {"pyibc__examples__a": "import hashlib\nfrom pyibc import Pipeline"},
    ),
    (
        "public-imports",
        {"docs__a.md": "text\n\n```python\nimport sys\nfrom handlers import dispatch\n```\n"},
        "docs/a.md:5: handlers is not public",
        {"docs__a.md": "```\nfrom handlers import dispatch\n```\n"},
    ),
    (
        "programs-in-tests",
        {"tests__a": 'P = """\nfrom iavl import MultiStore, Tre\n"""'},
        "tests/a.py:1: a program imports iavl.Tre",
        {"tests__a": 'P = """\nfrom iavl import MultiStore\n"""\nQ = "import words of prose"'},
    ),
    (
        "worlds-at-import",
        {"tests__a": "import x\n\nNET = two_chains()"},
        "tests/a.py:3: two_chains() when imported",
        {"tests__a": "def net():\n    return two_chains()\nmake = lambda: two_chains()"},
    ),
    (
        "worlds-at-import",
        {"tests__a": "@given(walk(1))\ndef test_f(): pass"},
        "tests/a.py:1: walk() when",
        {},
    ),
    (
        "heavy-imports",
        {"tests__a": "import pyspark.sql"},
        "tests/a.py:1: pyspark.sql at the top",
        {"tests__a": "def f():\n    import pyspark"},
    ),
]


@pytest.mark.parametrize(("name", "bad", "complaint", "good"), EXAMPLES)
def test_a_rule_finds_what_breaks_it_and_nothing_else(name, bad, complaint, good):
    assert [line for line in said(name, **bad) if complaint in line] != []
    assert said(name, **good) == []


def test_every_rule_has_a_bad_example():
    of_chain_code = {rule.name for rule in (*determinism.RULES, *values.RULES)}  # in files of their own
    elsewhere = {"maps-on-the-wire", "errors", "guards", "large-files"}
    assert {name for name, *_ in EXAMPLES} | of_chain_code | elsewhere == {*CHECKS}


def test_an_allowance_that_nothing_needs_is_a_complaint():
    assert "the allowance for float() is not needed any more" in "\n".join(said("floats", keepers__a="x = 1"))


def test_h1_an_error_s_text_is_found_on_its_way_into_the_state():
    assert said("error-texts-in-state", keepers__a="store.set(b'k', str(error).encode())") != []
    assert said("error-texts-in-state", keepers__a="raise X(error.code)") == []


def test_h9_whoever_reads_an_acknowledgement_asks_for_its_one_form():
    app = "parse_acknowledgement(raw)\ncheck_canonical(raw)\nacks.parse(raw)"
    name = "pyibc__apps__transfer__app"
    assert said("acknowledgements", **{name: app}) == []
    assert said("acknowledgements", **{name: "parse_acknowledgement(raw)"}) != []


def test_d27_a_map_on_the_wire_is_found(tmp_path):
    folder = tmp_path / "proto"
    folder.mkdir()
    (folder / "a.proto").write_text("message A {\n  repeated string names = 1; // map<no>\n}\n")
    assert said("maps-on-the-wire", root=tmp_path) == []
    (folder / "a.proto").write_text("message A {\n  map<string, string> names = 1;\n}\n")
    assert said("maps-on-the-wire", root=tmp_path) == [
        "proto/a.proto:2: no maps and no groups on the wire: use a repeated message"
    ]


def test_a_file_that_was_built_is_not_tracked(tmp_path):
    (tmp_path / "program").write_bytes(bytes(1_000_001))
    (tmp_path / "data").write_bytes(bytes(1_000_000))
    found = CHECKS["large-files"](Tree({}, tmp_path, ["data", "program"]))
    assert [str(each) for each in found] == [
        "program:1: 1000001 bytes: at most 1000000; ignore it, or fetch it when needed"
    ]

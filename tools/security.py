"""Generator of docs/security-tests.md: the tests of each entry of docs/security.md, by their names."""

from collections import defaultdict

from tools.lint_tree.pages import security_entries, tests_by_entry
from tools.lint_tree.tree import Tree, load

INTRO = """\
# Security: tests by entry

The tests that hold each entry of [security.md](security.md), which describes hazards and protections. A test
is listed under every entry in its name: `test_h1_d1_...` under H1 and D1.

    pytest -k "h5_ or h40_"             # tests of two entries
    python -m tools.mutants h5 h40      # remove their guards: these tests must fail"""


def security_tests_page(tree: Tree | None = None) -> str:
    """Return the page: by entry, in the order of docs/security.md, files and tests."""
    tree = load() if tree is None else tree
    found = tests_by_entry(tree)
    parts = [f"**{entry}**\n\n{_listed(found.get(entry, set()))}" for entry in security_entries(tree)]
    return "\n\n".join([INTRO, *parts]) + "\n"


def _listed(tests: set[tuple[str, str]]) -> str:
    files = defaultdict(list)
    for file, name in sorted(tests):
        files[file].append(f"`{name}`")
    return "\n".join(
        f"- [{file.removeprefix('tests/')}](../{file}): {', '.join(names)}" for file, names in files.items()
    )

"""Generator of the pages of docs/ that list what the sources declare: names, errors, hooks, tables, tests.

`python tools/docs.py` writes them; `--check` exits with status 1 if they are out of date.
"""

import ast
import dataclasses
import inspect
import re
import sys
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOOKSPECS = ROOT / "ibc_module" / "hookspecs.py"
OPTIONS = (
    ROOT / "pyibc" / "queues" / "hookspecs.py",
    ROOT / "pyibc" / "apps" / "callbacks" / "hookspecs.py",
)
"""Hook modules of optional plugins."""
GENERATED = "<!-- written by tools/docs.py -->"
_NAMED = re.compile(r"(?:[\w -]+, )?(?:ibc-go|Cosmos SDK)'s (?:shared )?(`Err\w+`)")
"""Source of an error that ibc-go or the SDK has."""


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them with `--check`."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))  # the tree this file stands in, installed or not
    from tools.api import api_page
    from tools.index_tables import index_tables_page
    from tools.security import security_tests_page
    from tools.support import support_page

    written = {
        "api": f"{api_page()}\n",
        "errors": errors_page(),
        "hooks": hooks_page(),
        "indexer-tables": index_tables_page(),
        "security-tests": security_tests_page(),
        "support": support_page(),
    }
    pages = {ROOT / "docs" / f"{name}.md": f"{GENERATED}\n\n{text}" for name, text in written.items()}
    if "--check" in arguments:
        stale = [path for path, text in pages.items() if not path.exists() or path.read_text() != text]
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date: run python tools/docs.py")
        return 1 if stale else 0
    for path, text in pages.items():
        path.write_text(text)
    return 0


# -- errors


def errors_page() -> str:
    """Return all error classes by codespace: code, name, fields, text, and when and why they are raised."""
    from pyibc.core import errors
    from pyibc.direct import errors as direct
    from pyibc.queues import errors as queue

    drawn = inspect.getdoc(errors) or ""
    listed = [each for module in (errors, direct, queue) for each in vars(module).values()]
    classes = {each for each in listed if inspect.isclass(each) and issubclass(each, errors.IbcError)}
    groups = sorted(
        (each for each in classes if errors.IbcError in each.__bases__),
        key=lambda each: (_codespace(each), each.__name__),
    )
    named = "`Err...` in parentheses is the name in ibc-go or the Cosmos SDK."
    parts = ["# Errors", _tree(drawn), named]
    for group in groups:
        below = [each for each in classes if issubclass(each, group) and "code" in vars(each)]
        leaves = sorted(below, key=lambda each: (each.code, each.__name__))
        parts.append(f"## `{group.codespace}`: {group.__name__}\n\n" + _table(leaves))
    return "\n\n".join(parts) + "\n"


def _codespace(cls: type) -> str:
    return f"{vars(cls)['codespace']} {cls.__name__}"


def _tree(drawn: str) -> str:
    """Return the module's docstring, with its diagram as a code block."""
    intro, tree, rest = drawn.split("\n\n")
    return f"{intro}\n\n```\n{inspect.cleandoc(tree)}\n```\n\n{rest}"


def _table(leaves: list[type]) -> str:
    rows = ["| code | class | fields | text | raised when, and why |", "|---:|---|---|---|---|"]
    for cls in leaves:
        fields = ", ".join(f"`{field.name}: {_name(field.type)}`" for field in dataclasses.fields(cls))
        text = vars(cls)["text"].replace("|", "\\|")
        rows.append(f"| {vars(cls)['code']} | `{cls.__name__}` | {fields} | {text} | {_explanation(cls)} |")
    return "\n".join(rows)


def _explanation(cls: type) -> str:
    """Return the docstring on one line, with the source from its last paragraph in parentheses.

    Of an error of ibc-go or the SDK the name is enough: the section says the rest.
    """
    *paragraphs, coded = (inspect.getdoc(cls) or "").split("\n\n")
    source = coded.split(": ", 1)[1].removesuffix(".")
    named = _NAMED.fullmatch(source)
    source = source if named is None else named[1]
    return " ".join([*paragraphs, f"({source})"]).replace("\n", " ").replace("|", "\\|")


def _name(kind: object) -> str:
    return kind.__name__ if isinstance(kind, type) else str(kind).replace("|", "\\|")


# -- hooks


def hooks_page() -> str:
    """Return all hooks with their signatures and docstrings, by section; then the types they use."""
    tree = ast.parse(HOOKSPECS.read_text())
    parts = ["# Hooks", ast.get_docstring(tree) or ""]
    for path in (HOOKSPECS, *OPTIONS):
        parts += _hooks(path.read_text())
    parts.append("## What they hand over")
    parts += [_type(node) for node in tree.body if isinstance(node, ast.ClassDef)]
    parts += [_alias(node, after) for node, after in pairwise(tree.body) if isinstance(node, ast.Assign)]
    return "\n\n".join(parts) + "\n"


def _hooks(source: str) -> list[str]:
    parts = []
    headings = _headings(source)
    for node in ast.parse(source).body:
        while headings and headings[0][0] < node.lineno:
            parts.append(f"## {headings.pop(0)[1]}")
        if isinstance(node, ast.FunctionDef):
            parts.append(_hook(node))
    return parts


def _headings(source: str) -> list[tuple[int, str]]:
    """Return line number and text of every `# -- heading`."""
    lines = enumerate(source.splitlines(), 1)
    return [(number, line[5:].capitalize()) for number, line in lines if line.startswith("# -- ")]


def _hook(node: ast.FunctionDef) -> str:
    arguments = ", ".join(_annotated(each) for each in node.args.args)
    returns = ast.unparse(node.returns) if node.returns is not None else "None"
    first = any(isinstance(each, ast.Call) for each in node.decorator_list)
    note = " The first plugin that answers is the one." if first else ""
    text = ast.get_docstring(node)
    return f"### `{node.name}`\n\n```python\ndef {node.name}({arguments}) -> {returns}\n```\n\n{text}{note}"


def _annotated(argument: ast.arg) -> str:
    return f"{argument.arg}: {ast.unparse(argument.annotation)}" if argument.annotation else argument.arg


def _type(node: ast.ClassDef) -> str:
    rows = []
    for field, after in zip(node.body, [*node.body[1:], None], strict=True):
        if not isinstance(field, ast.AnnAssign):
            continue
        rows.append(f"- `{ast.unparse(field)}`{_note(after)}")
    listed = "\n\n" + "\n".join(rows) if rows else ""
    return f"### `{node.name}`\n\n{ast.get_docstring(node)}{listed}"


def _alias(node: ast.Assign, after: ast.stmt) -> str:
    return f"### `{ast.unparse(node)}`\n\n{_note(after).removeprefix(': ')}"


def _note(after: ast.stmt | None) -> str:
    """Return the docstring below a field."""
    if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
        return f": {inspect.cleandoc(str(after.value.value))}"
    return ""


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

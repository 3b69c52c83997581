"""Generator of docs/api.md from the sources, without importing them.

Lists every public name with the first line of its docstring.
"""

import ast
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PUBLIC = ROOT / "pyibc"
INTRO = """\
What a program imports: `from pyibc import Pipeline`, `from pyibc.relayer import Link`. Everything else in the
distribution is its inside, and may change at any release. Nothing is imported before it is asked for: `import
pyibc` costs neither Spark nor gRPC. Errors are in [errors.md](errors.md), hooks in [hooks.md](hooks.md)."""
LISTED_ELSEWHERE = {"errors": "Every class of [errors.md](errors.md)."}

Definition = ast.ClassDef | ast.FunctionDef | ast.Assign | ast.AnnAssign | ast.Module


class Undocumented(Exception):
    """A public name has no docstring, or no definition."""


class Entry(NamedTuple):
    """A public name."""

    name: str
    shown: str  # with arguments, if it is a function
    text: str


def api_page() -> str:
    """Return the page.

    Raises:
        Undocumented: a public name has no docstring.
    """
    parts = ["# Public names", INTRO, _section("pyibc", PUBLIC / "__init__.pyi")]
    parts += [_section(f"pyibc.{name}", path) for name, path in sorted(modules().items())]
    return "\n\n".join(parts)


def modules() -> dict[str, Path]:
    """Return public module -> the file that lists its names: itself, or the `__init__.pyi` of a package."""
    found = {}
    for node in _statements(ast.parse((PUBLIC / "__init__.pyi").read_text()).body):
        if isinstance(node, ast.ImportFrom) and node.module == "pyibc":
            for each in node.names:
                package = PUBLIC / each.name / "__init__.pyi"
                found[each.name] = package if package.exists() else PUBLIC / f"{each.name}.py"
    return found


def _section(module: str, path: Path) -> str:
    described = path.with_suffix(".py")
    title = f"## `{module}`\n\n{_first_line(ast.get_docstring(ast.parse(described.read_text())))}"
    elsewhere = LISTED_ELSEWHERE.get(path.stem)
    if elsewhere:
        return f"{title} {elsewhere}"
    rows = [f"| `{each.shown}` | {each.text.replace('|', chr(92) + '|')} |" for each in entries(path)]
    return "\n".join([f"{title}\n", "| name | |", "|---|---|", *rows])


def entries(path: Path) -> Iterator[Entry]:
    """Return the public names of a module.

    Raises:
        Undocumented: a name has no docstring.
    """
    for name in listed(path):
        found, after = _definition(path, name)
        text = _text(found, after)
        if not text:
            raise Undocumented(f"{path.relative_to(ROOT)}: {name} has no docstring")
        yield Entry(name, _shown(name, found), text)


def listed(path: Path) -> list[str]:
    """Return the names that a module re-exports by `from inner import name as name`.

    Constants come first, then classes, then functions.
    """
    imports = [
        node for node in _statements(ast.parse(path.read_text()).body) if isinstance(node, ast.ImportFrom)
    ]
    names = {
        each.name
        for node in imports
        for each in node.names
        if each.name == each.asname and node.module != "pyibc"
    }
    return sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))


def _definition(path: Path, name: str) -> tuple[Definition, ast.stmt | None]:
    """Return the module that defines `name`, following imports, and the defining statement."""
    body = _statements(ast.parse(path.read_text()).body)
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            with suppress(Undocumented):
                return _definition(_file(str(node.module)), name)
        if isinstance(node, ast.ImportFrom) and name in {each.name for each in node.names}:
            module = _file(f"{node.module}.{name}")
            if module.exists():
                return ast.parse(module.read_text()), None
            return _definition(_file(str(node.module)), name)
        if isinstance(node, Definition) and name in _defined(node):
            return node, after
    raise Undocumented(f"{path.relative_to(ROOT)}: {name} is defined nowhere")


def _statements(body: list[ast.stmt]) -> list[ast.stmt]:
    """Yield the statements of a module, including those below `if TYPE_CHECKING` and `try`."""
    flat: list[ast.stmt] = []
    for node in body:
        flat += _statements(node.body) if isinstance(node, ast.If | ast.Try) else [node]
    return flat


def _defined(node: Definition) -> set[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return {node.name}
    if isinstance(node, ast.Module):
        return set()
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    return {ast.unparse(each) for each in (target.elts if isinstance(target, ast.Tuple) else [target])}


def _file(module: str) -> Path:
    path = ROOT.joinpath(*module.split("."))
    package = path / "__init__.py"
    return package if package.exists() else path.with_suffix(".py")


def _text(found: Definition, after: ast.stmt | None) -> str:
    if isinstance(found, ast.ClassDef | ast.FunctionDef | ast.Module):
        return _first_line(ast.get_docstring(found))
    if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
        return _first_line(str(after.value.value))
    return ""


def _first_line(text: str | None) -> str:
    return " ".join((text or "").strip().partition("\n\n")[0].split())


def _shown(name: str, found: Definition) -> str:
    if not isinstance(found, ast.FunctionDef):
        return name
    args = found.args
    named = [each.arg for each in (*args.posonlyargs, *args.args)]
    if args.kwonlyargs:
        named += ["*", *(each.arg for each in args.kwonlyargs)]
    return f"{name}({', '.join(named)})"

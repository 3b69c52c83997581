"""Rules about imports of programs: in pages, in examples, and in texts within tests."""

import ast
import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec

from tools.lint_tree.tree import SHIPPED, Complaint, Tree, nodes

_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
_IMPORTED_AS = {"protobuf": "google", "pynacl": "nacl", "py-ed25519-zebra-bindings": "ed25519_zebra"}
"""Distribution -> its import name, if different."""

EXAMPLES = "pyibc.examples."
"""Code to copy, which pages import and which is no public name."""


def public_imports(tree: Tree) -> Iterator[Complaint]:
    """Pages and examples import public names, the standard library, and what pyibc depends on."""
    others = {*sys.stdlib_module_names, *_third_parties(tree)}
    for path, line, program in _pages_and_examples(tree):
        for node, name in private_imports(program, others):
            yield Complaint(path, line + node.lineno - 1, f"{name} is not public: see docs/api.md")


def private_imports(program: ast.Module, others: set[str]) -> Iterator[tuple[ast.AST, str]]:
    """Yield imports of a program that are neither public names of pyibc nor of `others`."""
    import pyibc

    for node in nodes(program, ast.Import, ast.ImportFrom):
        if isinstance(node, ast.Import):
            asked = [(alias.name, None) for alias in node.names]
        else:
            asked = [(node.module or "", alias.name) for alias in node.names]
        for module, name in asked:
            top, _, rest = module.partition(".")
            if top in others or f"{module}.".startswith(EXAMPLES):
                continue
            if top != "pyibc" or (rest and rest not in pyibc.MODULES):
                yield node, module
                continue
            offered = importlib.import_module(module)
            names = set(getattr(offered, "__all__", vars(offered))) | (set() if rest else {*pyibc.MODULES})
            if name is not None and (name not in names or name.startswith("_")):
                yield node, f"{module}.{name}"


def _third_parties(tree: Tree) -> set[str]:
    found = set()
    for path, source in tree.sources.items():
        if path.rpartition("/")[2] == "pyproject.toml" and path.partition("/")[0] != "native":
            project = tomllib.loads(source.text)["project"]
            lines = [*project.get("dependencies", ())]
            for extra in project.get("optional-dependencies", {}).values():
                lines += extra
            names = {re.match(r"[\w-]+", line)[0] for line in lines}  # type: ignore[index]
            found |= {_IMPORTED_AS.get(name, name) for name in names if not name.startswith("pyibc")}
    return found


def _pages_and_examples(tree: Tree) -> Iterator[tuple[str, int, ast.Module]]:
    for path, source in tree.sources.items():
        is_page = path in {"README.md", "pyibc/testing/README.md"} or path.startswith("docs/")
        if is_page and path.endswith(".md") and path != "docs/hooks.md":  # contains signatures
            for block in _BLOCK.finditer(source.text):
                yield path, source.text.count("\n", 0, block.start()) + 2, ast.parse(block[1])
        elif path.startswith("pyibc/examples/") and path.endswith(".py"):
            yield path, 1, source.tree


OURS = (*SHIPPED, "conformance", "tests")
PLANTED = {"pyibc.queues.ping", "pyibc.queues.handlers.ping", "pyibc.Pipelines", "pyibc.relayer.packets.plan"}
"""Names that tests create on purpose."""


def programs_in_tests(tree: Tree) -> Iterator[Complaint]:
    """Programs that tests contain as text import existing names, which no other linter checks."""
    for source in tree.python("tests/"):
        if source.path.startswith("tests/unit/tools/"):
            continue
        for node in nodes(source.tree, ast.Constant):
            if isinstance(node.value, str) and "import " in node.value:
                for name in missing_imports(node.value):
                    if name not in PLANTED:
                        yield Complaint(source.path, node.lineno, f"a program imports {name}: there is none")


def missing_imports(text: str) -> Iterator[str]:
    """Yield the names that a program imports from our modules and that do not exist."""
    try:
        program = ast.parse(text.replace("{", "").replace("}", ""))
    except (SyntaxError, ValueError):
        return
    for node in nodes(program, ast.ImportFrom):
        if (node.module or "").partition(".")[0] not in OURS:
            continue
        try:
            module = importlib.import_module(node.module)
        except ModuleNotFoundError:
            yield node.module
            continue
        for each in node.names:
            below = f"{node.module}.{each.name}"
            is_module = hasattr(module, "__path__") and find_spec(below) is not None
            if each.name != "*" and not hasattr(module, each.name) and not is_module:
                yield below

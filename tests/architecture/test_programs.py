"""Programs that tests have as text import what is there: no linter reads them, and some run live alone."""

import ast
import importlib
from importlib.util import find_spec

import pytest

from ibc_core.installation import PACKAGES

PLANTED = {"ibc_core.queue.ping", "handlers.queue.ping", "pyibc.Pipelines", "pyibc.relayer.plan"}
"""By tests that want to see such names found, or make them."""
OURS = (*PACKAGES, "conformance", "examples", "tests")


def programs(source):
    """Texts in a module that are programs with imports of ours."""
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str) and "import " in node.value):
            continue
        try:
            yield ast.parse(node.value.replace("{", "").replace("}", ""))
        except SyntaxError:  # prose, or a part of a program
            continue


def lacking(tree):
    """Names that a program takes from our modules, and that are not there."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or (node.module or "").partition(".")[0] not in OURS:
            continue
        try:
            module = importlib.import_module(node.module)
        except ModuleNotFoundError:
            yield node.module
            continue
        for each in node.names:
            if each.name != "*" and not hasattr(module, each.name) and not _is_below(module, each.name):
                yield f"{node.module}.{each.name}"


def _is_below(module, name):
    """Whether a package has a module of that name, which nobody has imported yet."""
    return hasattr(module, "__path__") and find_spec(f"{module.__name__}.{name}") is not None


@pytest.fixture(scope="module")
def found(root):
    """Test file -> its programs."""
    files = sorted((root / "tests").rglob("*.py"))
    return {path.relative_to(root).as_posix(): list(programs(path.read_text("utf-8"))) for path in files}


def test_every_name_is_there(found):
    missing = {name: [each for tree in trees for each in lacking(tree)] for name, trees in found.items()}
    del missing["tests/architecture/test_programs.py"]
    assert {name for names in missing.values() for name in names} == PLANTED
    assert found["tests/interop/test_host_hostile.py"]
    assert sum(map(len, found.values())) > 20


def test_a_name_that_is_not_there_is_found():
    (tree,) = programs('P = """\\nfrom iavl import MultiStore, Tre\\nfrom iavl.nothing import x\\n"""')
    assert list(lacking(tree)) == ["iavl.Tre", "iavl.nothing"]

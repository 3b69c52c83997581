"""Rules for cheap test collection: importing a test module creates no chain and loads no heavy library."""

import ast
from collections.abc import Iterator

from tools.lint_tree.tree import Complaint, Tree, called

HEAVY = {"pyspark", "duckdb", "matplotlib", "pandas", "polars", "deltalake", "grpc_reflection"}
"""Libraries whose import takes a tenth of a second or more."""

WORLDS = {
    "two_chains", "LocalChain", "HostApp", "make_chain", "Network", "open_session", "PairedChain", "V2Chains",
    "World", "Scene", "Replica", "TinyChain", "ReplayChain", "Replay", "connected", "walk", "DirectModules",
    "MultiStore", "Governed", "CallbackNet", "TestChain",
}  # fmt: skip
"""Names of classes and functions that create chains, networks, replays or Spark sessions."""

ABOUT_THEM = {
    "tests/spark/test_source.py",
    "tests/unit/localnet/grpc/test_reflection.py",
}
"""Tests of code that extends such a library, and so import it at their top."""


def worlds_at_import(tree: Tree) -> Iterator[Complaint]:
    """Chains and networks are created in fixtures: creating them on import costs every worker."""
    for source in tree.python("tests/"):
        for node in at_import(source.tree.body):
            name = called(node)
            if name in WORLDS:
                yield Complaint(source.path, node.lineno, f"{name}() when imported: make it in a fixture")


def heavy_imports(tree: Tree) -> Iterator[Complaint]:
    """Test modules import heavy libraries where they need them, not at their top."""
    for source in tree.python("tests/"):
        if source.path in ABOUT_THEM:
            continue
        for node in source.tree.body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                if name.partition(".")[0] in HEAVY:
                    message = f"{name} at the top: import it in the fixture or test that needs it"
                    yield Complaint(source.path, node.lineno, message)


def at_import(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the nodes that run when a module is imported, which excludes bodies of functions and lambdas."""
    waiting: list[ast.AST] = list(reversed(body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting += [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
            continue
        if isinstance(node, ast.Lambda):
            continue
        yield node
        waiting += ast.iter_child_nodes(node)

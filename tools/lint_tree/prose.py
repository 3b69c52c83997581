"""Rules about docstrings: they begin with a verb or a noun phrase, and are understood without the code."""

import ast
import re
from collections.abc import Iterator

from tools.lint_tree.tree import Complaint, Tree, nodes

_BEGINS = re.compile(
    r"(What|Who|Whom|How|Whose|Which|Whether|Where|When|Why|It|Its|They|As|Is|Has|There|That|Of|Nobody|None)\b"
)
_THIRD_PERSON = re.compile(
    r"(Accepts|Adds|Asks|Builds|Calls|Checks|Closes|Compares|Converts|Creates|Decodes|Deletes|Drops|Encodes"
    r"|Executes|Fetches|Finds|Gives|Keeps|Lets|Looks|Makes|Opens|Parses|Prints|Puts|Raises|Reads|Refuses"
    r"|Removes|Replaces|Returns|Sends|Sets|Signs|Starts|Stops|Submits|Takes|Tells|Tries|Verifies|Waits|Walks"
    r"|Writes)\b"
)
"""Verbs with which the docstring of a function may begin in the imperative only."""
CLEAN = (
    *("abci_server/", "benchmarks/", "conformance/", "handlers/", "iavl/", "ibc_module/"),
    *("keepers/", "light_client/", "localnet/", "pyibc/", "tools/"),
)
"""Folders that the rule holds for: all but tests."""


def docstrings(tree: Tree) -> Iterator[Complaint]:
    """A docstring begins with a verb in the imperative or with a noun phrase, never with a question word."""
    for source in tree.python(*CLEAN):
        for line, text, of_function in _documented(source.tree):
            wrong = _BEGINS.match(text) or (_THIRD_PERSON.match(text) if of_function else None)
            if not text:
                yield Complaint(source.path, line, "an empty docstring")
            elif wrong is not None:
                advice = "begin with a verb in the imperative (Return ...) or a noun phrase"
                yield Complaint(source.path, line, f"a docstring begins with {wrong[1]!r}: {advice}")


def _documented(tree: ast.Module) -> Iterator[tuple[int, str, bool]]:
    """Yield line, text, and whether it is a function's, of docstrings and of texts behind values."""
    for node in nodes(tree, ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef):
        text = ast.get_docstring(node)
        if text is not None:
            is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            yield getattr(node, "lineno", 1), text, is_function
        for value, after in zip(node.body, node.body[1:], strict=False):
            if isinstance(value, ast.Assign | ast.AnnAssign) and isinstance(after, ast.Expr):
                content = after.value
                if isinstance(content, ast.Constant) and isinstance(content.value, str):
                    yield after.lineno, content.value.strip(), False

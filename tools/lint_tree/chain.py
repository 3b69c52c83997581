"""Rules about chain code that look at more than one file, or at what it is made of."""

import ast
from collections.abc import Iterator

from tools.lint_tree.tree import Complaint, Tree, nodes

TEXT_OF_AN_ERROR_IN = {
    "handlers/packet_v2/send.py",
    "handlers/queue/proof.py",
    "light_client/solomachine/client.py",
    "light_client/tendermint/updates.py",
}
"""Files that make an error of an error's text: what is raised is seen by people and never hashed."""

KEYS = ("channelEnds/", "nextSequence", "commitments/ports", "receipts/ports", "acks/ports", 'clientState"')
"""Beginnings of store keys, which stand in `ibc_core/paths.py` alone."""

READS_ACKNOWLEDGEMENTS = {
    "ibc_module/apps/transfer/app.py",
    "ibc_module/apps/packet_forward/layers.py",  # writes it anew, in its one form
    "ibc_module/apps/rate_limit/flow.py",  # ICS-20 below refuses it, which undoes the count
    "ibc_module/apps/rate_limit/layers.py",
}


def texts_of_errors_in_state(tree: Tree) -> Iterator[Complaint]:
    """H1: `str(error)` in handlers, keepers and light clients; the text differs between versions."""
    for source in tree.python("handlers/", "keepers/", "light_client/"):
        for node in nodes(source.tree, ast.Call):
            names = {argument.id for argument in node.args if isinstance(argument, ast.Name)}
            made = isinstance(node.func, ast.Name) and node.func.id in {"str", "repr"}
            if made and names & {"error", "exc", "e"} and source.path not in TEXT_OF_AN_ERROR_IN:
                yield Complaint(source.path, node.lineno, "the text of an error must not get into the state")


def store_keys(tree: Tree) -> Iterator[Complaint]:
    """Store keys are spelled in one file, `ibc_core/paths.py`."""
    places = ("handlers/", "keepers/", "light_client/", "ibc_module/apps/", "ibc_module/queries/")
    for source in tree.python(*places):
        documented = {id(text) for text in docstrings(source.tree)}
        for node in nodes(source.tree, ast.Constant):
            if not isinstance(node.value, str | bytes) or id(node) in documented:
                continue
            text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
            for key in KEYS:
                if key in text:
                    yield Complaint(source.path, node.lineno, f"{key!r}: use the function of ibc_core.paths")


def docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield the constants that are docstrings, of modules, classes, functions and values."""
    for node in nodes(tree, ast.Expr):
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value


def acknowledgements_are_read_in_one_form(tree: Tree) -> Iterator[Complaint]:
    """H9: who reads an acknowledgement also checks that it is in its one form."""
    for source in tree.chain():
        for node in nodes(source.tree, ast.Call):
            parses = ast.unparse(node.func) == "acks.parse" if isinstance(node.func, ast.Attribute) else False
            if parses and source.path not in READS_ACKNOWLEDGEMENTS:
                yield Complaint(source.path, node.lineno, "acks.parse: use parse_answer and check_canonical")
    for path in ("ibc_module/apps/transfer/app.py", "ibc_module/apps/transfer/app_v2.py"):
        source = tree.sources.get(path)
        if source is not None:
            names = [ast.unparse(node.func) for node in nodes(source.tree, ast.Call)]
            if not names.count("parse_answer") == names.count("check_canonical") == 1:
                yield Complaint(path, 1, "call parse_answer and check_canonical once each")


def maps_on_the_wire(tree: Tree) -> Iterator[Complaint]:
    """D27: maps have no order on the wire, and groups are not Go's."""
    for path in sorted((tree.root / "proto").rglob("*.proto")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            words = line.partition("//")[0].split()
            if any(word.startswith("map<") for word in words) or "group" in words[:2]:
                name = path.relative_to(tree.root).as_posix()
                yield Complaint(name, number, "no maps and no groups on the wire: use a repeated message")

"""Rules about chain code that need more than one file, or more than its syntax tree."""

import ast
from collections.abc import Iterator

from tools.lint_tree.tree import Complaint, Tree, nodes

TEXT_OF_AN_ERROR_IN = {
    "handlers/packet_v2/send.py",
    "pyibc/queues/handlers/proof.py",
    "light_client/solomachine/client.py",
    "light_client/tendermint/updates.py",
}
"""Files in which an error may contain another error's text, since the text is shown to users and never
hashed."""

KEYS = ("channelEnds/", "nextSequence", "commitments/ports", "receipts/ports", "acks/ports", 'clientState"')
"""Prefixes of store keys, which may be spelled out only in `pyibc/core/paths.py`."""

READS_ACKNOWLEDGEMENTS = {
    "pyibc/apps/transfer/app.py",
    "pyibc/apps/packet_forward/middleware.py",  # encodes it again in its canonical form
    "pyibc/apps/rate_limit/flow.py",  # ICS-20 below refuses it, which reverts the count
    "pyibc/apps/rate_limit/middleware.py",
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
    """Store keys are spelled in one file, `pyibc/core/paths.py`."""
    places = ("handlers/", "keepers/", "light_client/", "pyibc/apps/", "ibc_module/queries/")
    for source in tree.python(*places):
        documented = {id(text) for text in docstrings(source.tree)}
        for node in nodes(source.tree, ast.Constant):
            if not isinstance(node.value, str | bytes) or id(node) in documented:
                continue
            text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
            for key in KEYS:
                if key in text:
                    yield Complaint(
                        source.path, node.lineno, f"{key!r}: use the function of pyibc.core.paths"
                    )


def docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield the constants that are docstrings, of modules, classes, functions and values."""
    for node in nodes(tree, ast.Expr):
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value


def acknowledgements_are_read_in_one_form(tree: Tree) -> Iterator[Complaint]:
    """H9: code that reads an acknowledgement also checks that it has the standard form."""
    for source in tree.chain():
        for node in nodes(source.tree, ast.Call):
            parses = ast.unparse(node.func) == "acks.parse" if isinstance(node.func, ast.Attribute) else False
            if parses and source.path not in READS_ACKNOWLEDGEMENTS:
                yield Complaint(
                    source.path, node.lineno, "acks.parse: use parse_acknowledgement and check_canonical"
                )
    for path in ("pyibc/apps/transfer/app.py", "pyibc/apps/transfer/app_v2.py"):
        source = tree.sources.get(path)
        if source is not None:
            names = [ast.unparse(node.func) for node in nodes(source.tree, ast.Call)]
            if not names.count("parse_acknowledgement") == names.count("check_canonical") == 1:
                yield Complaint(path, 1, "call parse_acknowledgement and check_canonical once each")


def maps_on_the_wire(tree: Tree) -> Iterator[Complaint]:
    """D27: map fields have no order on the wire, and groups are encoded differently in Go."""
    for path in sorted((tree.root / "proto").rglob("*.proto")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            words = line.partition("//")[0].split()
            if any(word.startswith("map<") for word in words) or "group" in words[:2]:
                name = path.relative_to(tree.root).as_posix()
                yield Complaint(name, number, "no maps and no groups on the wire: use a repeated message")

"""cosmos/iavl: roots of every version, and ICS-23 proofs, of trees built by Go."""

from functools import partial
from pathlib import Path
from typing import Any

from conformance.case import Cases, expect, is_object
from conformance.files import json_in
from iavl import Tree

_Json = dict[str, Any]
_Operation = tuple[str, bytes, bytes]


def cases_of(path: Path) -> Cases | None:
    """Return the cases of a file of IAVL trees; None for any other file."""
    data = json_in(path)
    if is_object(data, "cases"):
        return _go_cases(data["cases"])
    is_changes = (
        isinstance(data, list) and bool(data) and all(is_object(each, "ops", "root_hash") for each in data)
    )
    return _changesets(data) if is_changes else None


def _go_cases(cases: list[_Json]) -> Cases:
    """Return cases with operations on hexadecimal bytes, and proofs of the last version."""
    for case in cases:
        tree = Tree()
        for number, version in enumerate(case["versions"], 1):
            operations = [
                (op[0], bytes.fromhex(op[1]), bytes.fromhex("".join(op[2:]))) for op in version["ops"]
            ]
            yield f"{case['name']} version {number}", partial(_version, tree, operations, version["root"])
        for proof in case.get("final_proofs") or ():
            yield f"{case['name']} proof of {proof['key']}", partial(_proof, tree, proof)


def _changesets(versions: list[_Json]) -> Cases:
    """Return cases with operations on texts, and the number of nodes that each version replaced."""
    tree = Tree()
    for version in versions:
        operations = [(op[0], op[1].encode(), "".join(op[2:]).encode()) for op in version["ops"]]
        check = partial(_version, tree, operations, version["root_hash"].lower(), version.get("orphans"))
        yield f"version {version['version']}", check


def _version(tree: Tree, operations: list[_Operation], root: str, orphans: int | None = None) -> None:
    for kind, key, value in operations:
        if kind.startswith("s"):
            tree.set(key, value)
        else:
            tree.remove(key)
    replaced = len(tree.orphans)
    expect(tree.commit()[1].hex(), root)
    if orphans is not None:
        expect(replaced, orphans)


def _proof(tree: Tree, proof: dict[str, str]) -> None:
    _, proven = tree.at(tree.version).prove(bytes.fromhex(proof["key"]))
    expect(proven.hex(), proof["commitment_proof"])

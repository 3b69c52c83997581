"""tendermint-rs: model traces of the light client, recorded RPC answers, serialised headers."""

import base64
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ibc_module.conformance.case import CaseResult, Check, expect, load_json, run_files
from ibc_module.conformance.light_model import model_cases
from light_client.tendermint import rpc
from light_client.tendermint.hashing import commit_hash, data_hash, header_hash
from light_client.tendermint.states import DEFAULT_TRUST_LEVEL
from light_client.tendermint.types import in_canonical_order
from light_client.tendermint.voting import TrustLevel

FAMILY = "tendermint-rs"
_KNOWN_HEADER = "F30A71F2409FB15AACAEDB6CC122DFA2525BEE9CAE521721B06BFDCA291B8D56"


def run(folder: Path) -> list[CaseResult]:
    """The cases below `folder` (lc_model_based/, rpc_fixtures/, serialization/)."""
    return run_files(FAMILY, folder, _cases)


def _cases(path: Path) -> Iterator[tuple[str, Check]] | None:
    if path.suffix != ".json":
        return None
    data = load_json(path)
    if "lc_model_based" in path.parts:
        return model_cases(data, 0, in_canonical_order)
    if "rpc_fixtures" in path.parts:
        return _recorded(data)
    return _serialized(path.stem, data) if "serialization" in path.parts else None


def _serialized(name: str, data: Any) -> Iterator[tuple[str, Check]] | None:
    if name == "header_with_known_hash":
        return iter([("hash", lambda: expect(header_hash(rpc.header(data)).hex().upper(), _KNOWN_HEADER))])
    if name == "header":  # of before v0.34: another hash, the same fields
        return iter([("fields", lambda: expect(rpc.header(data).height, int(data["height"])))])
    if name == "fraction":
        level = TrustLevel(int(data["numerator"]), int(data["denominator"]))
        return iter([("value", lambda: expect(level, DEFAULT_TRUST_LEVEL))])
    return None


def _recorded(data: Any) -> Iterator[tuple[str, Check]]:
    """Every block, block id and signed header in an answer, at whatever depth."""
    found = False
    for place, node in _objects(data, ""):
        for name, check in _checks(node):
            found = True
            yield f"{place} {name}".strip(), check
    if not found:
        yield "no header in it", lambda: None


def _objects(node: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(node, dict):
        yield place, node
        for name, child in node.items():
            yield from _objects(child, f"{place}/{name}")
    elif isinstance(node, list):
        for index, child in enumerate(node):
            yield from _objects(child, f"{place}/{index}")


def _checks(node: dict[str, Any]) -> Iterator[tuple[str, Check]]:
    block_id, block, commit = (_object(node, name) for name in ("block_id", "block", "commit"))
    header = _object(node, "header") or _object(block, "header")
    if header and block_id:
        yield "header hash", partial(_header_hash, header, block_id)
    if header and commit:
        yield "signed header", partial(_header_hash, header, commit["block_id"])
    if block and "data" in block:
        yield "data hash", partial(_data_hash, block)
    if block and (block.get("last_commit") or {}).get("signatures"):
        yield "last commit hash", partial(_last_commit_hash, block)


def _object(node: dict[str, Any] | None, name: str) -> dict[str, Any] | None:
    found = (node or {}).get(name)
    return found if isinstance(found, dict) else None


def _header_hash(header: dict[str, Any], block_id: dict[str, Any]) -> None:
    expect(header_hash(rpc.header(header)), rpc.block_id(block_id).hash)


def _data_hash(block: dict[str, Any]) -> None:
    txs = (base64.b64decode(tx, validate=True) for tx in (block["data"] or {}).get("txs") or ())
    expect(data_hash(txs), rpc.header(block["header"]).data_hash)


def _last_commit_hash(block: dict[str, Any]) -> None:
    expect(commit_hash(rpc.commit(block["last_commit"])), rpc.header(block["header"]).last_commit_hash)

"""Literals of CometBFT's own tests: header hashes, vote sign bytes, Merkle roots, addresses."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from conformance.case import Cases, Check, LeftOut, expect, nothing
from conformance.files import json_in, load_json
from light_client.tendermint.comet_json import read_block_id, read_header
from light_client.tendermint.encoding import inner_hash, leaf_hash, merkle_root
from light_client.tendermint.hashing import header_hash, validator_set_hash, vote_sign_bytes
from light_client.tendermint.types import ED25519, SECP256K1, address_of
from pyibc.codec.gotime import GO_ZERO_TIME_NS, parse_rfc3339

_Json = dict[str, Any]


def cases_of(path: Path) -> Cases | None:
    """Return the cases of cometbft.json by section; None for any other file."""
    data = json_in(path)
    if not isinstance(data, dict) or not data.keys() & {"header_hash", *_SECTIONS}:
        return None
    return _sections(path, data)


def _sections(path: Path, data: _Json) -> Cases:
    for section, content in data.items():
        check = _SECTIONS.get(section)
        items = content if isinstance(content, list) else [content]
        if not items:
            yield section, nothing
        for number, item in enumerate(items):
            name = f"{section} {number}"
            if section == "header_hash":
                yield name, _header_case(item, items[0], path.parent.parent)
            elif check is None:
                yield name, partial(expect, f"unknown section {section}", "a known one")
            else:
                yield name, partial(check, item)


def _header_case(item: _Json, first: _Json, vectors: Path) -> Check | LeftOut:
    """Return a header case; the header may be in a file of another family, which may be missing."""
    if "header_file" in item and not (vectors / item["header_file"]).is_file():
        return LeftOut(f"{item['header_file']} is not here")
    return partial(_header, item, first, vectors)


def _header(item: _Json, first: _Json, vectors: Path) -> None:
    if "header_file" in item:
        header = read_header(load_json(vectors / item["header_file"]))
    elif isinstance(item["header"], dict):
        header = read_header(item["header"])
    else:  # "same as [0] with validators_hash absent"
        header = read_header(first["header"])._replace(validators_hash=b"")
    expect(header_hash(header).hex().upper() or None, item["hash"])


def _vote(item: _Json) -> None:
    text = item["timestamp"].split(" ")[0]
    time_ns = parse_rfc3339(text) if text else GO_ZERO_TIME_NS
    block_id = read_block_id(item["block_id"])
    got = vote_sign_bytes(item["chain_id"], item["type"], item["height"], item["round"], block_id, time_ns)
    expect(got.hex(), item["sign_bytes"])


def _merkle(item: _Json) -> None:
    expect(merkle_root(bytes.fromhex(leaf) for leaf in item["leaves"]).hex(), item["root"])


def _rfc6962(item: _Json) -> None:
    leaf, inner = item["leaf"], item["inner"]
    expect(leaf_hash(bytes.fromhex(leaf["data"])).hex(), leaf["hash"])
    left, right = bytes.fromhex(inner["left"]), bytes.fromhex(inner["right"])
    expect(inner_hash(left, right).hex(), inner["hash"])


def _address(key_type: str, item: _Json) -> None:
    expect(address_of(key_type, bytes.fromhex(item["pub"])).hex(), item["address_hex"].lower())


_SECTIONS: dict[str, Callable[[Any], None]] = {
    "vote_sign_bytes": _vote,
    "merkle_root": _merkle,
    "rfc6962": _rfc6962,
    "empty_validator_set_hash": lambda text: expect(validator_set_hash(()).hex(), text),
    "secp256k1_address": partial(_address, SECP256K1),
    "ed25519_address": partial(_address, ED25519),
}

"""tendermint-rs: model traces of the light client, recorded RPC responses, serialised headers."""

from pathlib import Path
from typing import Any

from conformance.case import Cases, LeftOut, expect, is_object
from conformance.files import json_in, stem
from conformance.vectors import rpc_answers
from conformance.vectors.light_model import is_model, model_cases
from light_client.tendermint.comet_json import read_header
from light_client.tendermint.hashing import header_hash
from light_client.tendermint.states import DEFAULT_TRUST_LEVEL
from light_client.tendermint.types import in_canonical_order
from light_client.tendermint.verifier import TrustLevel

_NOTHING = "no header, transaction or key in it"
_KNOWN_HEADER = "F30A71F2409FB15AACAEDB6CC122DFA2525BEE9CAE521721B06BFDCA291B8D56"


def cases_of(path: Path) -> Cases | None:
    """Return the cases of a file in lc_model_based/, rpc_fixtures/ or serialization/.

    None for any other file.
    """
    data = json_in(path)
    if is_model(data):
        return model_cases(data, 0, in_canonical_order)
    if is_object(data, "jsonrpc"):
        return _recorded(data)
    if data == {} and stem(path).startswith("subscribe"):  # the first response to a subscription
        return iter([("", LeftOut(_NOTHING))])
    return _serialized(stem(path), data) if isinstance(data, dict) else None


def _serialized(name: str, data: Any) -> Cases | None:
    if name == "header_with_known_hash" and is_object(data, "height"):
        return iter([("hash", lambda: expect(header_hash(read_header(data)).hex().upper(), _KNOWN_HEADER))])
    if name == "header" and is_object(data, "height"):  # from before v0.34: another hash, the same fields
        return iter([("fields", lambda: expect(read_header(data).height, int(data["height"])))])
    if name == "fraction" and is_object(data, "numerator", "denominator"):
        level = TrustLevel(int(data["numerator"]), int(data["denominator"]))
        return iter([("value", lambda: expect(level, DEFAULT_TRUST_LEVEL))])
    return None


def _recorded(data: Any) -> Cases:
    """Return the checks of a response; some responses have none."""
    found = False
    for name, check in rpc_answers.checks(data):
        found = True
        yield name, check
    if not found:
        yield "", LeftOut(_NOTHING)

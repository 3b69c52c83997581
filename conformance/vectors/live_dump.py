"""Recordings of two ibc-go chains and of a relayer between them: every block, proof, call and response."""

import base64
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from conformance.case import Cases, Check, LeftOut, expect, is_object
from conformance.files import json_in, read
from conformance.vectors import live_chain, live_proofs, rpc_answers
from pyibc.proto.pool import message_class

_SILENT = LeftOut("no header, transaction, key, proof or protobuf message in it")
_Json = dict[str, Any]


def cases_of(path: Path) -> Cases | None:
    """Return the cases of a recording of a chain, its proofs or a relayer's calls.

    None for any other file.
    """
    if path.name.endswith((".jsonl", ".jsonl.gz")):
        calls = [json.loads(line) for line in read(path).decode().splitlines()]
        return _logged(calls) if calls and all(is_object(call, "kind", "path") for call in calls) else None
    data = json_in(path)
    if is_object(data, "chain_id", "blocks", "proofs"):
        return live_chain.cases(data)
    if (
        isinstance(data, list)
        and data
        and all(is_object(call, "chain", "method", "response") for call in data)
    ):
        return _calls(data, path.parent)
    return None


def _calls(calls: list[_Json], folder: Path) -> Cases:
    """Return distinct calls, by JSON-RPC or gRPC."""
    headers = live_proofs.Headers(folder)
    for number, call in enumerate(calls):
        name = f"{number} {call['chain']} {call['method']}"
        if call["method"].startswith("/"):
            checks = _grpc(call["method"], call.get("request"), call["response"])
        else:
            checks = _answer(call["response"])
            if is_object(call.get("params"), "prove") and call["params"]["prove"] is True:
                checks = live_proofs.of_call(call, headers)
        yield from _named(name, checks)


def _logged(calls: list[_Json]) -> Cases:
    """Return the log of a proxy between relayer and chain by lines; lines of kind `mark` separate phases."""
    for number, call in enumerate(calls):
        if call["kind"] == "grpc":
            checks = _grpc(call["path"], call.get("req"), call.get("resp"))
        else:
            texts = (call.get("req"), call.get("resp"))
            checks = (
                case for text in texts if text and text.startswith("{") for case in _answer(json.loads(text))
            )
        yield from _named(f"{number} {call['kind']} {call['path']}", checks)


def _named(name: str, checks: Iterator[tuple[str, Check | LeftOut]]) -> Cases:
    found = False
    for case, check in checks:
        found = True
        yield f"{name} {case}", check
    if not found:
        yield name, _SILENT


def _answer(response: Any) -> Iterator[tuple[str, Check | LeftOut]]:
    return ((place, check) for place, check in rpc_answers.checks(response))


def _grpc(method: str, request: str | None, response: str | None) -> Iterator[tuple[str, Check | LeftOut]]:
    """Check that both messages survive decoding and encoding; ` @height` after a method is metadata."""
    service, _, name = method.partition(" ")[0].lstrip("/").rpartition("/")
    package, _, kind = service.rpartition(".")
    stem = f"{package}.{'Query' if kind == 'Query' else ''}{name}"
    for part, text in (("Request", request), ("Response", response)):
        yield part.lower(), partial(_again, stem + part, base64.b64decode(text or "", validate=True))


def _again(full_name: str, raw: bytes) -> None:
    message = message_class(full_name).FromString(raw)
    expect(message.SerializeToString(deterministic=True), raw)

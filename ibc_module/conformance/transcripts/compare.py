"""Recorded against ours: what differs, in words."""

from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ibc_module.conformance.transcripts.differences import explain
from ibc_module.core.events import Event
from ibc_module.errors import IbcError


def refusals(recorded: Mapping[str, Any], text: str, ours: IbcError | None) -> Iterator[str]:
    """Differences of a recorded refusal with `text` and ours."""
    codespace, code = recorded.get("codespace") or "", recorded["code"]
    if ours is None:
        yield f"accepted here, recorded {codespace}/{code} {text[:200]}"
    elif not codespace:
        return  # any refusal will do
    elif (codespace, code) != (ours.codespace, ours.code) and not explain(
        codespace, code, text, type(ours), str(ours)
    ):
        yield f"recorded {codespace}/{code}, ours {ours.codespace}/{ours.code} {ours}"


FREE_TEXT = frozenset({"ibccallbackerror-error"})
"""Attributes whose value is an error's text (in Go sometimes a pointer): key and place are compared."""


def events(recorded: Sequence[Mapping[str, Any]] | None, ours: Iterable[Event]) -> Iterator[str]:
    """Differences of events; those of type `tx` are the ante handler's and in neither."""
    theirs = [_event(e) for e in recorded or () if e["type"] != "tx"]
    mine = [(name, [_masked(pair) for pair in pairs]) for name, pairs in ours if name != "tx"]
    for number, (want, got) in enumerate(zip(theirs, mine, strict=False)):
        if want != got:
            yield f"event {number}: recorded {want}, ours {got}"
            return
    if len(theirs) != len(mine):
        yield f"{len(theirs)} events recorded, ours {len(mine)}: {[e[0] for e in mine]}"


def block_events(recorded: Sequence[Mapping[str, Any]] | None, ours: Iterable[Event]) -> Iterator[str]:
    """Differences of the begin block's events; `message` events every block has, they are in neither."""
    mine = [(name, (*pairs, ("mode", "BeginBlock"))) for name, pairs in ours if name != "message"]
    return events(recorded, mine)


def _event(recorded: Mapping[str, Any]) -> tuple[str, list[tuple[str, str]]]:
    return recorded["type"], [_masked((a["key"], a["value"])) for a in recorded["attributes"]]


def _masked(pair: tuple[str, str]) -> tuple[str, str]:
    return (pair[0], "...") if pair[0] in FREE_TEXT else pair


def changes(
    recorded: Sequence[Mapping[str, Any]] | None, ours: Sequence[tuple[bytes, bytes | None]]
) -> Iterator[str]:
    """Differences of what a tree was told, in its order."""
    theirs = [(b64decode(c["key_b64"]), _value(c)) for c in recorded or ()]
    if theirs == list(ours):
        return
    wanted, got = dict(theirs), dict(ours)
    for key in sorted(wanted.keys() | got.keys()):
        if key not in got:
            yield f"{key!r}: not written here"
        elif key not in wanted:
            yield f"{key!r}: written here only"
        elif wanted[key] != got[key]:
            yield f"{key!r}: recorded {_short(wanted[key])}, ours {_short(got[key])}"


def _value(change: Mapping[str, Any]) -> bytes | None:
    raw = change.get("value_b64")
    return None if raw is None else b64decode(raw)


def _short(value: bytes | None) -> str:
    return "deleted" if value is None else value.hex()[:160]

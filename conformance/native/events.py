"""Comparison of the encoding of ABCI events, common and unusual, with protobuf's."""

from collections.abc import Iterator
from random import Random
from typing import Any

from conformance.native.stand_in import encode_events
from conformance.native.trial import Trial
from pyibc.core import native

_TEXTS = ("", "message", "packet_sequence", "7", "\u00e9", "\U0001f600", "\0")
_LONG = ("x" * 127, "y" * 128, "z" * 20_000)
_ODD: tuple[Any, ...] = ("\ud800", b"bytes", 1, None, ("nested",))


def trials(seed: int) -> Iterator[Trial]:
    """Yield lists of events; one in four contains a value that is not a text, or not an event."""
    rng = Random(seed)  # noqa: S311  # cases are to be repeated, not secret
    while True:
        told = [_event(rng) for _ in range(rng.choice((0, 1, 2, 5)))]
        if told and rng.random() < 0.25:
            _spoil(rng, told)
        number = rng.choice((1, 7))
        found = native.encode_events(told, number)
        yield Trial(found is not None, found, None if found is None else encode_events(told, number), told)


def _event(rng: Random) -> tuple[str, Any]:
    pairs = [(_text(rng), _text(rng)) for _ in range(rng.choice((0, 1, 3, 6)))]
    attributes = [(*pair, rng.random() < 0.5) if rng.random() < 0.3 else pair for pair in pairs]
    return _text(rng), tuple(attributes) if rng.random() < 0.2 else attributes


def _text(rng: Random) -> str:
    pick = rng.random()
    if pick < 0.5:
        return "".join(rng.choices("ab\u00fc/-0", k=rng.randrange(70)))
    return rng.choice(_LONG if pick > 0.9 else _TEXTS)


def _spoil(rng: Random, told: list[Any]) -> None:
    at, odd = rng.randrange(len(told)), rng.choice(_ODD)
    kind, attributes = told[at]
    told[at] = rng.choice(
        (
            (odd, attributes),
            (kind, [*attributes, (odd, "value")]),
            (kind, [*attributes, ("key", odd)]),
            (kind, [*attributes, ("key", "value", odd)]),
            (kind, [*attributes, ("key",)]),
            (kind, odd),
            (kind, attributes, odd),
        )
    )

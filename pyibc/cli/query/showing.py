"""Output of queries as text or JSON, and the exit for what a chain does not have."""

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import IO, Any

import click

from pyibc.codec.anys import AnyMessage
from pyibc.codec.protojson import Unprintable, write_any
from pyibc.core.host.block import Event
from pyibc.relayer.packets.packets import AnyPacketEvent, name_on_a, name_on_b, readable_events

NOT_FOUND = 4
"""Exit code if the chain does not have what was asked for."""


class Missing(click.ClickException):
    """The chain does not have what was asked for."""

    exit_code = NOT_FOUND

    def show(self, file: IO[Any] | None = None) -> None:
        """Write one line to stderr, like every other error."""
        click.echo(f"error: {line(self.message)}", err=True, file=file)


def show(options: dict[str, Any], row: object, lines: Iterable[str]) -> None:
    """Print `row` as JSON with --json, otherwise `lines`, whose control characters are escaped."""
    if options["as_json"]:
        click.echo(json.dumps(row, indent=2))
    else:
        for each in lines:
            click.echo(line(each))


def line(text: str) -> str:
    """Return a text fit for one line of a terminal: users and nodes chose parts of it."""
    # guard: control-characters-reach-the-terminal {text.isprintable() => True}
    #   test_control_characters_of_a_memo_are_escaped
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def message_json(packed: AnyMessage) -> dict[str, Any]:
    """Return a message as JSON: of an unknown type the JSON that it is, or its bytes in hexadecimal."""
    try:
        return dict(write_any(packed))
    except Unprintable:
        return {**_members(packed.value), "@type": packed.type_url}


def _members(value: bytes) -> dict[str, Any]:
    """Return the JSON object that is the value of a message without a .proto, or the bytes."""
    with suppress(ValueError, RecursionError):
        members = json.loads(value)
        if isinstance(members, dict):
            return members
    return {"value": value.hex()}


def packet_rows(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Return the type, ends and sequence of each packet event, without those that cannot be decoded."""
    return [packet_row(each) for each in readable_events(events)]


def packet_row(event: AnyPacketEvent) -> dict[str, Any]:
    """Return type, ends and sequence of a packet event."""
    return {
        "type": event.kind,
        "source": "/".join(name_on_a(event.packet)),
        "destination": "/".join(name_on_b(event.packet)),
        "sequence": event.packet.sequence,
    }

"""`pyibc index --follow`, `--alert` and `--fail-on`."""

import shlex
import threading
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any

import click

from pyibc.cli.reporting import stopped_by_signals
from pyibc.indexer.locations import AnyPath

if TYPE_CHECKING:
    from pyibc.indexer.live.alerts import AlertSettings
    from pyibc.indexer.pipeline.lake import Engine
    from pyibc.indexer.pipeline.report import Outcome

CONCERNED = 3
"""Exit code if --fail-on found something."""
KINDS = ("stuck", "ack_overdue", "expiring")


class ListenAddress(click.ParamType[tuple[str, int]]):
    """`host:port`, an address of this machine; IPv6 in brackets."""

    name = "host:port"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        """Return host and port."""
        if isinstance(value, tuple):
            return value
        host, _, port = str(value).rpartition(":")
        if not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
            self.fail(f"{value} is not host:port", param, ctx)
        return host.removeprefix("[").removesuffix("]"), int(port)


class Kinds(click.ParamType[frozenset[str]]):
    """Kinds of concerns, separated by commas."""

    name = "kind,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> frozenset[str]:
        """Return the set of kinds."""
        if isinstance(value, frozenset):
            return value
        found = frozenset(str(value).split(","))
        if unknown := sorted(found - {*KINDS}):
            self.fail(f"{unknown[0]!r} must be one of {', '.join(KINDS)}", param, ctx)
        return found


class Number(click.FloatRange):
    """Number in a range, of which click would say that it is a float range."""

    name = "number"


class Command(click.ParamType[list[str]]):
    """A program with arguments, split as a shell does; no shell runs it."""

    name = "command"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        """Return the program and its arguments."""
        if isinstance(value, list):
            return value
        try:
            found = shlex.split(str(value))
        except ValueError as error:
            self.fail(f"{value}: {error}", param, ctx)
        if not found:
            self.fail("no command", param, ctx)
        if which(found[0]) is None:
            self.fail(f"{found[0]} is not a program that can be run", param, ctx)
        return found


def alert_settings(options: dict[str, Any]) -> "AlertSettings | None":
    """Return the settings of --alert and related options; None without it."""
    from pyibc.indexer.live.alerts import AlertSettings

    if options["alert"] is None:
        return None
    return AlertSettings(options["alert"], options["expiring"] * 3600, options["alert_timeout"])


def follow(
    engine: "Engine", inputs: Sequence[AnyPath], out: Path, options: dict[str, Any], tell: Any
) -> None:
    """Follow the inputs until SIGINT or SIGTERM.

    Raises:
        OSError: the server cannot listen on the address.
    """
    from pyibc.indexer.live.service import HOST, PORT, LiveSettings, serve

    host, port = options["listen"] or (HOST, PORT)
    settings = LiveSettings(host, port, options["pause"], alert_settings(options), options["report"])
    stop = threading.Event()
    with stopped_by_signals(stop):
        board = serve(engine, inputs, out, settings, stop, tell)
    click.echo(f"stopped after {board.read().rounds} runs")


def alert(outcome: "Outcome", out: AnyPath, options: dict[str, Any], tell: Any) -> None:
    """Run the alert command once, if there is something new."""
    from pyibc.indexer.live.alerts import Alerts

    settings = alert_settings(options)
    if settings is not None:
        Alerts(settings, Path(out), tell, lambda _: None)(outcome)


def fail_on(outcome: "Outcome", kinds: frozenset[str], within_s: float) -> None:
    """End the command with `CONCERNED` if there is a concern of these kinds."""
    from pyibc.indexer.live.alerts import concerns

    found = [each for each in concerns(outcome, within_s) if each.kind in kinds]
    if found:
        counts = {kind: sum(each.kind == kind for each in found) for kind in KINDS if kind in kinds}
        click.echo(", ".join(f"{kind}: {number}" for kind, number in counts.items() if number), err=True)
        raise click.exceptions.Exit(CONCERNED)

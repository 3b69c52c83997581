"""`pyibc relay status`: show the state of a running daemon, once or live in a terminal."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Annotated, Any

import click
import msgspec
from rich.box import SIMPLE
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from pyibc.cli.relay.configured import WORK_LEFT, reports, with_config, with_json
from pyibc.cli.reporting import read_relayer_config
from pyibc.http.reasons import reason_of
from pyibc.relayer.config.rules import is_listen
from pyibc.relayer.rpc.client import printable
from pyibc.relayer.rpc.pool_node import NodeState

TIMEOUT_S = 10.0
MAX_ANSWER = 16 << 20
"""Maximum size of an answer, in bytes."""


class _Client(msgspec.Struct):
    """Fields of a light client that are shown."""

    chain: str
    client: str
    expires_s: int
    trusting_s: int


class _Path(msgspec.Struct):
    """Fields of a path that are shown."""

    path: str
    state: str
    reason: str
    pending: int
    held: int
    given_up: int
    delivered: int
    acknowledged: int
    timed_out: int
    failed: int = 0  # a daemon of an earlier version does not tell it
    left_out: int = 0
    left_out_reasons: dict[str, str] = {}
    clients: list[_Client] = []  # none: a daemon of an earlier version


class _Node(msgspec.Struct):
    """Fields of a node that are shown."""

    node: str
    state: str
    since_s: float
    reason: str
    height: int
    next_s: float


class _Funds(msgspec.Struct):
    """Fields of a denomination that are shown."""

    denom: str
    balances: list[tuple[str, int]]


class _Chain(msgspec.Struct):
    """Fields of a chain that are shown."""

    chain: str
    up: bool
    reason: str
    height: int | None
    denom: str
    balances: list[tuple[str, int]]
    nodes: list[_Node] = []  # msgspec copies it; a daemon of an earlier version names none
    others: list[_Funds] = []


class _Trouble(msgspec.Struct):
    """Fields of a trouble that are shown."""

    kind: str
    subject: str
    reason: str
    since_s: Annotated[float, msgspec.Meta(ge=0, le=1e11)]


class _Daemon(msgspec.Struct):
    """Fields of a daemon's answer."""

    well: bool
    paths: list[_Path]
    chains: list[_Chain]
    troubles: list[_Trouble] = []


@click.command()
@with_config
@with_json
@click.option(
    "--listen", metavar="HOST:PORT", help="Address of the daemon's /health.  [default: as configured]"
)
@click.option("--live", is_flag=True, help="Show the state until interrupted.")
@click.option(
    "--interval", type=click.FloatRange(0.1), default=1.0, show_default=True, help="Seconds, for --live."
)
@reports
def command(file: Path, listen: str | None, *, as_json: bool, live: bool, interval: float) -> None:
    """Show the paths of a running daemon, their backlog and last errors, and its chains and accounts.

    Exit code 3 if a path is not relayed or a chain does not answer; 1 if there is no daemon.
    """
    where = listen or read_relayer_config(file).relayer.listen
    if not where or where.endswith(":0"):
        raise click.UsageError("the daemon's address is not known: set relayer.listen, or use --listen")
    if not is_listen(where):
        raise click.UsageError(f"--listen is HOST:PORT, not {where[:64]!r}")
    if live and as_json:
        raise click.UsageError("--live cannot be combined with --json")
    if live:
        _show_live(where, interval)
        return
    found = ask(where)
    if as_json:
        click.echo(json.dumps(found))
    else:
        Console().print(view(found))
    if not found["well"]:
        sys.exit(WORK_LEFT)


def ask(where: str) -> dict[str, Any]:
    """Return the health of the daemon that listens at HOST:PORT.

    Raises:
        OSError: nothing answers there, or another program.
    """
    host, _, port = where.rpartition(":")
    connection = HTTPConnection(host.strip("[]") or "127.0.0.1", int(port), timeout=TIMEOUT_S)
    try:
        connection.request("GET", "/health")
        return _status(connection.getresponse().read(MAX_ANSWER))
    except OSError as error:
        again = "start one with `pyibc relay start`, or name its address with --listen"
        raise OSError(f"no daemon answers at {where}, {reason_of(error)}: {again}") from error
    except (HTTPException, ValueError, RecursionError) as error:
        raise OSError(f"{where} is not a daemon of this relayer: {error}") from error
    finally:
        connection.close()


def _status(raw: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(raw)
    try:
        msgspec.convert(found, _Daemon)
    except msgspec.ValidationError as error:
        raise ValueError(f"not a status: {error}") from None
    return found


def view(found: dict[str, Any], now_s: float | None = None) -> Group:
    """Return the tables; texts of nodes are shown without control characters.

    `now_s`: unix time, for the time left until clients expire; None: that of this machine.
    """
    now_s = time.time() if now_s is None else now_s
    names = ("path", "state", "pending", "held", "given up", "recv", "ack", "timeout", "expires")
    paths = Table(*names, box=SIMPLE)
    for each in found["paths"]:
        is_well = each["state"] == "relaying" and not _expiring(each, now_s)
        left = min((client["expires_s"] - now_s for client in each.get("clients", ())), default=None)
        cells = (_cell(_counted(each, name)) for name in _PATH)
        paths.add_row(*cells, _cell("" if left is None else _span(left)), style="" if is_well else "red")
    chains = Table("chain", "up", "height", "account", "balance", box=SIMPLE)
    for each in found["chains"]:
        own = [_cell(each["chain"]), _cell("yes" if each["up"] else "no"), _cell(each["height"])]
        for account, balance in _balances(each) or [("", "")]:
            chains.add_row(*own, _cell(account), _cell(balance), style="" if each["up"] else "red")
            own = [Text(), Text(), Text()]
    nodes = _node_table(found["chains"])
    named = [_trouble(each) for each in found.get("troubles", ())]
    named += [line for each in found["paths"] for line in _left_out(each)]
    named += [line for chain in found["chains"] for line in _asked_last(chain)]
    named += [(each["path"], why) for each in found["paths"] for why in _expiring(each, now_s)]
    texts = (_cell(f"{name}: {reason}", wraps=True) for name, reason in named if reason)
    return Group(paths, chains, nodes, *texts)


def _balances(chain: dict[str, Any]) -> list[tuple[str, str]]:
    """Return each account with its balance, in all denominations of fees."""
    listed = (chain, *chain.get("others", ()))
    return [(account, f"{held} {each['denom']}") for each in listed for account, held in each["balances"]]


def _node_table(chains: list[dict[str, Any]]) -> Table:
    table = Table("chain", "node", "state", "since", "height", "judged again", box=SIMPLE)
    for chain in chains:
        for each in chain.get("nodes", ()):
            cells = (chain["chain"], each["node"], each["state"], _time(each["since_s"]), each["height"])
            style = "" if each["state"] == "in use" else "yellow"
            table.add_row(*map(_cell, (*cells, _time(each["next_s"]))), style=style)
    return table


def _time(unix_s: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(unix_s)) if unix_s else ""


def _trouble(found: dict[str, Any]) -> tuple[str, str]:
    since = datetime.fromtimestamp(found["since_s"], UTC).isoformat(sep=" ", timespec="seconds")
    return f"{found['kind']} {found['subject']}, since {since.removesuffix('+00:00')} UTC", found["reason"]


def _asked_last(chain: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the nodes in use with a doubt; those that are down or dropped are among the troubles."""
    for each in chain.get("nodes", ()):
        if each["state"] == NodeState.LAST.value:
            yield each["node"], each["reason"]


def _left_out(path: dict[str, Any]) -> Iterator[tuple[str, str]]:
    reasons = path.get("left_out_reasons", {})
    yield from ((path["path"], f"{name} is left out: {reason}") for name, reason in reasons.items())
    if path.get("left_out", 0) > len(reasons):
        yield path["path"], f"{path['left_out']} channels are left out in all"


_PATH = ("path", "state", "pending", "held", "given_up", "delivered", "acknowledged", "timed_out")


def _counted(path: dict[str, Any], name: str) -> object:
    """Return a field of a path; of acknowledgements with the number of those of errors, if there are any."""
    failed = path.get("failed")  # a daemon of an earlier version does not tell it
    return f"{path[name]} ({failed} failed)" if name == "acknowledged" and failed else path[name]


SHORT = 4
"""A client that has less than this part of its trusting period left should have been refreshed."""


def _expiring(path: dict[str, Any], now_s: float) -> list[str]:
    """Return a sentence for each client of a path that was not refreshed in time."""
    found = list[str]()
    for each in path.get("clients", ()):
        left = each["expires_s"] - now_s
        if left < each["trusting_s"] / SHORT:
            when = f"expires in {_span(left)}: its updates fail" if left > 0 else "is expired"
            found.append(f"{each['client']} on {each['chain']} {when}")
    return found


def _span(seconds: float) -> str:
    """Return a time span in its two largest units."""
    if seconds <= 0:
        return "expired"
    minutes = int(seconds // 60)
    days, hours = minutes // 1440, minutes // 60 % 24
    if days:
        return f"{days}d {hours}h"
    return f"{hours}h {minutes % 60}m" if hours else f"{minutes}m"


def _cell(value: object, *, wraps: bool = False) -> Text:
    return Text("" if value is None else printable(str(value)), no_wrap=not wraps)


def _show_live(where: str, interval: float) -> None:
    with suppress(KeyboardInterrupt), Live(console=Console(), screen=False, auto_refresh=False) as screen:
        while True:
            try:
                screen.update(view(ask(where)), refresh=True)
            except OSError as error:
                screen.update(Text(printable(str(error)), style="red"), refresh=True)
            time.sleep(interval)

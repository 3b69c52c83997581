"""`pyibc relay`: packets between two chains, over their nodes' RPC."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from ibc_relayer.errors import AmbiguousPath, NoPath
from ibc_relayer.metrics import Metrics
from pyibc.cli.between import between, drivers_of, endpoints, reports
from pyibc.cli.following import Patience
from pyibc.cli.relay_links import Between, ChannelPlan, NamedLink, channel_link, client_link, queue_link, show
from pyibc.cli.relay_options import (
    ORDERS,
    accepting,
    channel_options,
    check_options,
    ends_option,
    parse_ends,
    protocol_option,
    queue_options,
)

COMMANDS = {
    "create": "pyibc.cli.relay_create",
    "start": "pyibc.cli.relay_start",
    "reload": "pyibc.cli.relay_reload",
    "status": "pyibc.cli.relay_status",
    "check": "pyibc.cli.relay_check",
    "plan": "pyibc.cli.relay_plan",
    "clear": "pyibc.cli.relay_clear",
    "query": "pyibc.cli.relay_query",
    "from-hermes": "pyibc.cli.relay_from_hermes",
    "keys": "pyibc.cli.relay_keys",
    "fees": "pyibc.cli.relay_fees",
}
"""Subcommand -> module with its `command`, which is imported when it is called."""

MakeLink = Callable[[Between], NamedLink]


class RelayGroup(click.Group):
    """A group that imports a subcommand when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Every subcommand."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Imports the subcommand `cmd_name`."""
        home = COMMANDS.get(cmd_name)
        if home is None:
            return None
        found: click.Command = import_module(home).command
        return found


@click.group(cls=RelayGroup, invoke_without_command=True)
@between
@protocol_option
@channel_options
@click.option(
    "--channel",
    default="",
    help="Channel: this one, by its id on the first chain; order and version are its own.",
)
@click.option("--client", default="", help="v2: the pair of this client on the first chain.")
@click.option(
    "--journal", type=click.Path(path_type=Path), help="Channel, v2: SQLite file that survives a kill."
)
@ends_option
@click.option("--naive", is_flag=True, help="Queue: a transaction a packet, as the first document has it.")
@click.option("--wait-packets", type=click.IntRange(1), help="Queue: set out once so many wait (1).")
@click.option("--wait-blocks", type=click.IntRange(0), help="Queue: or after so many blocks (0).")
@accepting
@click.pass_context
@reports
def command(context: click.Context, /, **options: Any) -> None:
    """Relay packets between two chains; creates nothing: `create` does.

    The channel, pair of clients or queues to relay is the only one with our terms; of several, --channel or
    --client says which. Any number of relayers may run side by side: another one finds the work done.
    Exit code 1 if a chain refuses, does not answer (with --follow it is waited for), or there is nothing to
    relay over, 2 for wrong use.
    """
    if context.invoked_subcommand is not None:
        return
    check_options(context)
    drivers = drivers_of(options)
    make = {"channel": _channel, "v2": _clients, "queue": _queues}[options["protocol"]](options)
    patience = Patience(endless=options["follow"])
    with ExitStack() as stack:
        a, b = patience.outlast(lambda: stack.enter_context(endpoints(options)))
        with _told_what_to_do(options["protocol"]):
            chains = Between(a, b, drivers, frozenset(options["accept"]))
            named = patience.outlast(lambda: make(chains))
        with closing(named.link):
            metrics = _follow(named, options, patience) if options["follow"] else named.link.until_idle()
    show(named, metrics, as_json=options["as_json"])


def _channel(options: dict[str, Any]) -> MakeLink:
    plan = ChannelPlan(options["port"], options["version"], ORDERS[options["order"]], options["channel"])
    return lambda chains: channel_link(chains, plan, options["journal"])


def _clients(options: dict[str, Any]) -> MakeLink:
    return lambda chains: client_link(chains, options["client"], options["journal"])


def _queues(options: dict[str, Any]) -> MakeLink:
    ends = parse_ends(options["ends"])
    how = queue_options(
        naive=options["naive"], packets=options["wait_packets"], blocks=options["wait_blocks"]
    )
    return lambda chains: queue_link(chains, ends, how)


@contextmanager
def _told_what_to_do(protocol: str) -> Iterator[None]:
    """Ends the command with what the user can do about a path that is not there, or not the only one."""
    try:
        yield
    except NoPath as error:
        hint = f"nothing is created unasked: `pyibc relay create path --protocol {protocol}` does"
        _fail(error, f"{hint}; --accept TERM takes terms that are not ours")
    except AmbiguousPath as error:
        _fail(error, f"say which one by {'--client' if protocol == 'v2' else '--channel'}")


def _fail(error: Exception, hint: str) -> NoReturn:
    click.echo(f"error: {error}\n{hint}", err=True)
    sys.exit(1)


def _follow(named: NamedLink, options: dict[str, Any], patience: Patience) -> Metrics:
    """Relays until interrupted, also past nodes that are away; tells when a transaction succeeded."""
    shown = -1
    with suppress(KeyboardInterrupt):
        while True:
            metrics = patience.outlast(named.link.until_idle)
            if metrics.transactions != shown:
                show(named, metrics, as_json=options["as_json"])
                sys.stdout.flush()  # the output may be a log file that is being read
                shown = metrics.transactions
            time.sleep(options["interval"])
    return named.link.metrics.copy()

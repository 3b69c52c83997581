"""`pyibc relay`: relay packets between two chains, over the RPC of their nodes."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from pyibc.cli.between import between, drivers_of, endpoints, reports
from pyibc.cli.following import Retries
from pyibc.cli.progress import progress
from pyibc.cli.relay.links import Between, ChannelPlan, NamedLink, channel_link, client_link, queue_link, show
from pyibc.cli.relay.options import (
    ORDERS,
    accepting,
    channel_options,
    check_options,
    ends_option,
    parse_ends,
    protocol_option,
    queue_options,
)
from pyibc.relayer.errors import AmbiguousPath, NoPath
from pyibc.relayer.metrics import Metrics

COMMANDS: tuple[str, ...] = ("create", "start", "reload", "status", "check", "plan", "clear")
COMMANDS += ("upgrade", "query", "chains", "from-hermes", "keys", "fees")
"""Subcommands; the module of each is imported when it is called."""

MakeLink = Callable[[Between], NamedLink]


class RelayGroup(click.Group):
    """Group that imports a subcommand when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all subcommands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the subcommand `cmd_name`."""
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = import_module(f"{__name__}.{cmd_name.replace('-', '_')}").command
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
@click.option("--naive", is_flag=True, help="Queue: a transaction for each packet [IBC-channels 3.7].")
@click.option("--wait-packets", type=click.IntRange(1), help="Queue: submit once so many are pending (1).")
@click.option("--wait-blocks", type=click.IntRange(0), help="Queue: or after so many blocks (0).")
@accepting
@click.pass_context
@reports
def command(context: click.Context, /, **options: Any) -> None:
    """Relay packets between two chains; creates nothing (see `create`).

    Relays over the only channel, pair of clients or queues that meets the policy; if there are several, name
    one by --channel or --client. Any number of relayers may run at the same time. Exit code 1 if a chain
    refuses, does not answer (--follow waits for it), or there is no path, 2 for wrong use.
    """
    if context.invoked_subcommand is not None:
        return
    check_options(context)
    drivers = drivers_of(options)
    make = {"channel": _channel, "v2": _clients, "queue": _queues}[options["protocol"]](options)
    retries = Retries(endless=options["follow"])
    with ExitStack() as stack:
        a, b = retries.run(lambda: stack.enter_context(endpoints(options)))
        with _hints(options["protocol"]), progress("looking for the path", shows=not options["follow"]):
            chains = Between(a, b, drivers, frozenset(options["accept"]))
            named = retries.run(lambda: make(chains))
        with closing(named.link):
            if options["follow"]:
                metrics = _follow(named, options, retries)
            else:
                with progress("relaying packets"):
                    metrics = named.link.until_idle()
    show(named, metrics, as_json=options["as_json"])


def _channel(options: dict[str, Any]) -> MakeLink:
    plan = ChannelPlan(options["port"], options["version"], ORDERS[options["order"]], options["channel"])
    return lambda chains: channel_link(chains, plan, options["journal"])


def _clients(options: dict[str, Any]) -> MakeLink:
    return lambda chains: client_link(chains, options["client"], options["journal"])


def _queues(options: dict[str, Any]) -> MakeLink:
    ends = parse_ends(options["ends"])
    timing = queue_options(
        naive=options["naive"], packets=options["wait_packets"], blocks=options["wait_blocks"]
    )
    return lambda chains: queue_link(chains, ends, timing)


@contextmanager
def _hints(protocol: str) -> Iterator[None]:
    """End the command with a hint if the path does not exist, or is not the only one."""
    try:
        yield
    except NoPath as error:
        hint = f"create a path with `pyibc relay create path --protocol {protocol}`"
        if protocol == "channel":
            hint += ", name the channel's --port and --version if they are not those of transfers"
        _fail(error, f"{hint}, or accept terms that differ from the policy with --accept TERM")
    except AmbiguousPath as error:
        _fail(error, f"name one by {'--client' if protocol == 'v2' else '--channel'}")


def _fail(error: Exception, hint: str) -> NoReturn:
    click.echo(f"error: {error}\n{hint}", err=True)
    sys.exit(1)


def _follow(named: NamedLink, options: dict[str, Any], retries: Retries) -> Metrics:
    """Relay until interrupted, also past nodes that do not answer; print counters after transactions."""
    shown = -1
    with suppress(KeyboardInterrupt):
        while True:
            metrics = retries.run(named.link.until_idle)
            if metrics.transactions != shown:
                show(named, metrics, as_json=options["as_json"])
                sys.stdout.flush()  # the output may be a log file that is being read
                shown = metrics.transactions
            time.sleep(options["interval"])
    return named.link.metrics.copy()

"""`pyibc relay`: packets between two chains, over their nodes' RPC."""

import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import click

from ibc_core.channel.types import Order
from ibc_relayer.driver import Drivers
from ibc_relayer.metrics import Metrics
from ibc_relayer.rpc_endpoint import RpcEndpoint
from pyibc.cli.between import between, drivers_of, endpoints, reports
from pyibc.cli.relay_links import (
    OPTIONS,
    ChannelPlan,
    NamedLink,
    channel_link,
    check_options,
    client_link,
    parse_ends,
    queue_link,
    queue_options,
    show,
)

MakeLink = Callable[[RpcEndpoint, RpcEndpoint, Drivers], NamedLink]
ORDERS = {"unordered": Order.UNORDERED, "ordered": Order.ORDERED}


@click.command()
@between
@click.option(
    "--protocol",
    type=click.Choice(list(OPTIONS)),
    default="channel",
    show_default=True,
    help="What packets go over: channels, the clients themselves (IBC v2), or the early protocol's queues.",
)
@click.option("--port", default="transfer", show_default=True, help="Channel: port on both chains.")
@click.option("--version", default="ics20-1", show_default=True, help="Channel: its version.")
@click.option("--order", type=click.Choice(list(ORDERS)), default="unordered", help="Channel: its order.")
@click.option("--new-channel", is_flag=True, help="Channel: open one even where one is open.")
@click.option(
    "--channel", help="Channel: this one, by its id on the first chain; order and version are its own."
)
@click.option("--client", help="v2: the pair of this client on the first chain.")
@click.option("--new-clients", is_flag=True, help="v2: make a new pair even where there is one.")
@click.option(
    "--journal", type=click.Path(path_type=Path), help="Channel, v2: SQLite file that survives a kill."
)
@click.option(
    "--ends",
    nargs=2,
    multiple=True,
    metavar="A B",
    help="Queue: ends CHAIN/CONNECTION/CHANNEL of a and b; may be repeated. Without: the chains' own.",
)
@click.option("--naive", is_flag=True, help="Queue: a transaction a packet, as the first document has it.")
@click.option("--wait-packets", type=click.IntRange(1), help="Queue: set out once so many wait (1).")
@click.option("--wait-blocks", type=click.IntRange(0), help="Queue: or after so many blocks (0).")
@reports
def command(**options: Any) -> None:
    """Relay packets between two chains; opens or registers what is missing for it.

    Channels: client, connection, channel. v2: two clients, each the other's counterparty. Queues: client,
    ends. Any number may run side by side: another one finds the work done. Exit code 1 if a chain
    refuses or does not answer, 2 for wrong use.
    """
    check_options(click.get_current_context())
    drivers = drivers_of(options)
    make = {"channel": _channel, "v2": _clients, "queue": _queues}[options["protocol"]](options)
    with endpoints(options) as (a, b):
        named = make(a, b, drivers)
        with closing(named.link):
            metrics = _follow(named, options) if options["follow"] else named.link.until_idle()
    show(named, metrics, as_json=options["as_json"])


def _channel(options: dict[str, Any]) -> MakeLink:
    plan = ChannelPlan(
        options["port"],
        options["version"],
        ORDERS[options["order"]],
        options["new_channel"],
        options["channel"],
        options["journal"],
    )
    return lambda a, b, drivers: channel_link(a, b, plan, drivers)


def _clients(options: dict[str, Any]) -> MakeLink:
    client_id, journal, new = options["client"], options["journal"], options["new_clients"]
    if client_id and new:
        raise ValueError("--client names a pair, --new-clients makes one")
    return lambda a, b, drivers: client_link(a, b, client_id, journal, drivers, new=new)


def _queues(options: dict[str, Any]) -> MakeLink:
    ends = parse_ends(options["ends"])
    how = queue_options(
        naive=options["naive"], packets=options["wait_packets"], blocks=options["wait_blocks"]
    )
    return lambda a, b, drivers: queue_link(a, b, ends, how, drivers)


def _follow(named: NamedLink, options: dict[str, Any]) -> Metrics:
    """Relays until interrupted; prints the metrics whenever a transaction succeeded."""
    shown = -1
    with suppress(KeyboardInterrupt):
        while True:
            metrics = named.link.until_idle()
            if metrics.transactions != shown:
                show(named, metrics, as_json=options["as_json"])
                sys.stdout.flush()  # the output may be a log file that is being read
                shown = metrics.transactions
            time.sleep(options["interval"])
    return named.link.metrics.copy()

"""`pyibc relay create`: clients, connections, channels and pairs of clients between two chains."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from ibc_relayer.handshake import Clients
from ibc_relayer.known_path import known_path, over_connection
from ibc_relayer.open_channel import ChannelParams
from ibc_relayer.open_clients import known_client_path, make_client_path
from ibc_relayer.open_connection import open_connection
from ibc_relayer.open_path import (
    create_client,
    existing_clients,
    existing_connection,
    make_channel,
    make_path,
)
from ibc_relayer.path import AnyPath
from ibc_relayer.queue.path import make_queue_path
from ibc_relayer.review import Review
from pyibc.cli.between import drivers_of, endpoints, of_two_chains, reports
from pyibc.cli.relay_links import Between, queue_ends, queue_lines
from pyibc.cli.relay_options import (
    ORDERS,
    accepting,
    channel_options,
    check_options,
    ends_option,
    parse_ends,
    protocol_option,
)

SECOND = 10**9

Created = tuple[list[str], dict[str, Any]]
"""Lines for people, and the same for JSON."""


@click.group()
def command() -> None:
    """Create what packets go over; reused is only what has our terms.

    `path` does all at once, for each protocol.
    """


def creating(create: Callable[[Between, dict[str, Any]], Created]) -> Callable[..., None]:
    """A subcommand: adds the options of two chains, and prints what was created."""

    @of_two_chains
    @accepting
    @reports
    @wraps(create)
    def run(**options: Any) -> None:
        if "protocol" in options:
            check_options(click.get_current_context())
        drivers = drivers_of(options)
        with endpoints(options) as (a, b):
            lines, described = create(Between(a, b, drivers, frozenset(options["accept"])), options)
        click.echo(json.dumps(described) if options["as_json"] else "\n".join(lines))

    return run


@command.command()
@click.option(
    "--on",
    type=click.Choice(["a", "b", "both"]),
    default="both",
    show_default=True,
    help="The chains that get a client.",
)
@creating
def client(chains: Between, options: dict[str, Any]) -> Created:
    """Create a client of each chain on the other, also where there is one."""
    names = {}
    ends = {"a": (chains.a, chains.b), "b": (chains.b, chains.a)}
    for (side, (host, reference)), driver in zip(ends.items(), chains.drivers.new, strict=True):
        if options["on"] in {side, "both"}:
            made = create_client(host, reference, driver)
            names[side] = {"chain_id": host.chain_id, "client_id": made.client_id}
    return [f"{each['chain_id']} {each['client_id']}" for each in names.values()], dict(names)


@command.command()
@click.option("--clients", nargs=2, metavar="A B", help="These, by their ids.  [default: usable ones]")
@click.option("--delay", type=click.IntRange(0), default=0, help="Seconds that packets wait.")
@click.option("--new", is_flag=True, help="Open one even where one is open.")
@creating
def connection(chains: Between, options: dict[str, Any]) -> Created:
    """Open a connection over clients that are there."""
    clients = _clients(chains, options["clients"])
    delay_ns = options["delay"] * SECOND
    ids = open_connection(clients, delay_ns, accept=chains.accept, new=options["new"])
    ends = {
        side: {"chain_id": each.host.chain_id, "client_id": each.client_id, "connection_id": connection_id}
        for side, each, connection_id in zip("ab", clients, ids, strict=True)
    }
    return [f"{chains.a.chain_id} {ids[0]} <-> {ids[1]} {chains.b.chain_id}"], dict(ends)


@command.command()
@channel_options
@click.option("--connection", default="", help="Over this one, by its id on the first chain.")
@click.option("--new", is_flag=True, help="Open one even where one is open.")
@creating
def channel(chains: Between, options: dict[str, Any]) -> Created:
    """Open a channel over a connection that is there."""
    connections, clients = _connection(chains, options["connection"])
    ports = options["port"], options["port"]
    params = ChannelParams(ports, connections, ORDERS[options["order"]], options["version"])
    return _of_path(make_channel(clients, params, new=options["new"]))


@command.command()
@protocol_option
@channel_options
@click.option("--channel", default="", help="Channel: complete the handshake of this one of the first chain.")
@click.option("--new-channel", is_flag=True, help="Channel: open one even where one is open.")
@click.option("--client", default="", help="v2: complete the pair of this client of the first chain.")
@click.option("--new-clients", is_flag=True, help="Create clients even where there are usable ones.")
@ends_option
@creating
def path(chains: Between, options: dict[str, Any]) -> Created:
    """Create all that packets need: clients, connection, channel; a pair of clients; ends of queues."""
    if options["protocol"] == "channel":
        return _of_path(_channel_path(chains, options))
    a, b, drivers, accept = chains
    new = options["new_clients"]
    if options["protocol"] == "v2":
        if options["client"] and new:
            raise ValueError("--client names a pair, --new-clients makes one")
        if options["client"]:
            return _of_path(known_client_path(a, b, options["client"], drivers, accept=accept))
        return _of_path(make_client_path(a, b, drivers=drivers, accept=accept, new_clients=new))
    pairs = parse_ends(options["ends"])
    made = [make_queue_path(a, b, each, drivers=drivers, accept=accept, new_clients=new) for each in pairs]
    return queue_lines(made), queue_ends(chains, made)


def _channel_path(chains: Between, options: dict[str, Any]) -> AnyPath:
    a, b, drivers, accept = chains
    if options["channel"]:
        return known_path(a, b, options["port"], options["channel"], drivers, accept=accept)
    return make_path(
        a,
        b,
        options["port"],
        ORDERS[options["order"]],
        options["version"],
        drivers=drivers,
        accept=accept,
        new_clients=options["new_clients"],
        new_channel=options["new_channel"],
    )


def _clients(chains: Between, names: tuple[str, str] | None) -> Clients:
    a, b, drivers, accept = chains
    if names is None:
        return existing_clients(a, b, drivers=drivers, accept=accept)
    review = Review(a, b, drivers, accept, is_chosen=True)
    (review.client(0, names[0]) + review.client(1, names[1])).require_none(" and ".join(names))
    return review.foreign(0, names[0]), review.foreign(1, names[1])


def _connection(chains: Between, name: str) -> tuple[tuple[str, str], Clients]:
    a, b, drivers, accept = chains
    if name:
        return over_connection(Review(a, b, drivers, accept, is_chosen=True), name)
    clients = existing_clients(a, b, drivers=drivers, accept=accept)
    return existing_connection(clients, accept=accept), clients


def _of_path(made: AnyPath) -> Created:
    line = f"{made.a.chain_id} {made.a.name[-1]} <-> {made.b.name[-1]} {made.b.chain_id}"
    return [line], {"a": made.a._asdict(), "b": made.b._asdict()}

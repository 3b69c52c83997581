"""`pyibc relay`: packets between two chains, over their nodes' RPC."""

import json
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import wraps
from pathlib import Path as FilePath
from typing import NamedTuple, ParamSpec

import click

from ibc_module.core.channel import Order
from ibc_module.errors import IbcError
from ibc_module.relayer.link import Link
from ibc_module.relayer.metrics import Metrics
from ibc_module.relayer.open_path import make_path
from ibc_module.relayer.path import Path
from ibc_module.relayer.rpc_account import GasTerms
from ibc_module.relayer.rpc_client import Patience
from ibc_module.relayer.rpc_endpoint import RpcEndpoint
from ibc_module.relayer.wallet import Wallet
from localnet.errors import LocalnetError, NoSuchNetwork
from localnet.network import Network

P = ParamSpec("P")
COSMOS = ("cosmos", "cosmos")
ORDERS = {"unordered": Order.UNORDERED, "ordered": Order.ORDERED}


class Connection(NamedTuple):
    """Where two chains are, and who pays there."""

    url_a: str
    url_b: str
    wallet_a: Wallet
    wallet_b: Wallet


def _reports(run: Callable[P, None]) -> Callable[P, None]:
    """Turns what went wrong into one line on stderr and exit code 1, wrong use into 2."""

    @wraps(run)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            run(*args, **kwargs)
        except (NoSuchNetwork, ValueError) as error:
            click.echo(f"error: {error}", err=True)
            sys.exit(2)
        except (IbcError, LocalnetError, OSError, sqlite3.Error) as error:
            click.echo(f"error: {error}", err=True)
            sys.exit(1)

    return wrapped


@click.command()
@click.option("--network", default="default", show_default=True, help="A localnet: its first two chains.")
@click.option("--a", "url_a", help="RPC of the first chain, instead of a localnet's.")
@click.option("--b", "url_b", help="RPC of the second chain.")
@click.option("--key", type=click.Path(path_type=FilePath), help="File with a secp256k1 key, 64 hex digits.")
@click.option("--prefix", nargs=2, help="Address prefixes on a and b, with --key.  [default: cosmos cosmos]")
@click.option("--port", default="transfer", show_default=True, help="Port on both chains.")
@click.option("--version", default="ics20-1", show_default=True, help="The channel's version.")
@click.option("--order", type=click.Choice(list(ORDERS)), default="unordered", show_default=True)
@click.option("--new-channel", is_flag=True, help="Open a channel even where one is open.")
@click.option("--journal", type=click.Path(path_type=FilePath), help="SQLite file that survives a kill.")
@click.option(
    "--gas-price", nargs=2, type=(int, str), default=(0, "stake"), help="Per 1000 gas: amount, denom."
)
@click.option("--follow", is_flag=True, help="Go on until interrupted; else until nothing is left to do.")
@click.option("--interval", type=click.FloatRange(0.05, 60), default=0.5, help="Seconds between looks.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@_reports
def command(  # noqa: PLR0913 - one parameter an option
    *,
    network: str,
    url_a: str | None,
    url_b: str | None,
    key: FilePath | None,
    prefix: tuple[str, str] | None,
    port: str,
    version: str,
    order: str,
    new_channel: bool,
    journal: FilePath | None,
    gas_price: tuple[int, str],
    follow: bool,
    interval: float,
    as_json: bool,
) -> None:
    """Relay packets between two chains; opens clients, connection and channel where there are none.

    Any number may run side by side: who comes second finds the work done. Exit code 1 if a chain
    refuses or does not answer, 2 for wrong use.
    """
    given = url_a or url_b or key or prefix
    where = _given(url_a, url_b, key, prefix or COSMOS) if given else _of_network(network)
    terms = GasTerms(price_num=gas_price[0], price_den=1000, denom=gas_price[1])
    patience = Patience(poll=min(interval, 0.15))
    with (
        closing(RpcEndpoint.connect(where.url_a, where.wallet_a, terms, patience)) as a,
        closing(RpcEndpoint.connect(where.url_b, where.wallet_b, terms, patience)) as b,
    ):
        if a.chain_id == b.chain_id:
            raise ValueError(f"--a and --b: both chains are called {a.chain_id!r}")
        path = make_path(a, b, port, ORDERS[order], version, new_channel=new_channel)
        link = Link([path], a, b, journal=journal)
        metrics = _follow(link, path, interval, as_json) if follow else _run(link)
    _show(path, metrics, as_json)


def _given(url_a: str | None, url_b: str | None, key: FilePath | None, prefix: tuple[str, str]) -> Connection:
    if not url_a or not url_b or key is None:
        raise ValueError("--a, --b and --key belong together (and --prefix to them)")
    raw = bytes.fromhex(key.read_text(encoding="ascii").strip())
    if len(raw) != 32:
        raise ValueError(f"{key}: not 64 hex digits")
    return Connection(url_a, url_b, Wallet(raw, prefix[0]), Wallet(raw, prefix[1]))


def _of_network(name: str) -> Connection:
    network = Network(name)
    nodes, wallet = network.status(), network.wallet("relayer")
    if len(nodes) < 2:
        raise ValueError(f"network {name!r} has one chain only")
    return Connection(nodes[0].rpc, nodes[1].rpc, wallet, wallet)


def _run(link: Link) -> Metrics:
    """Relays until nothing is left to do."""
    with closing(link):
        return link.until_idle()


def _follow(link: Link, path: Path, interval: float, as_json: bool) -> Metrics:
    """Relays until interrupted; says how far it is whenever a transaction went through."""
    shown = -1
    with closing(link), suppress(KeyboardInterrupt):
        while True:
            metrics = link.until_idle()
            if metrics.transactions != shown:
                _show(path, metrics, as_json)
                sys.stdout.flush()  # a log file is read while we run
                shown = metrics.transactions
            time.sleep(interval)
    return link.metrics.copy()


def _show(path: Path, metrics: Metrics, as_json: bool) -> None:
    if as_json:
        ends = {"a": path.a._asdict(), "b": path.b._asdict()}
        click.echo(json.dumps({**ends, **vars(metrics)}))
        return
    click.echo(f"{path.a.chain_id} {path.a.channel_id} <-> {path.b.channel_id} {path.b.chain_id}")
    click.echo(
        f"delivered {metrics.delivered}, acknowledged {metrics.acknowledged}, timed out {metrics.timed_out},"
        f" already done by others {metrics.redundant}"
    )
    click.echo(
        f"{metrics.transactions} transactions with {metrics.updates} client updates,"
        f" {metrics.bytes_sent} bytes; {metrics.refused} refused"
    )
    for work, reason in metrics.given_up.items():
        click.echo(f"given up: {work}: {reason}", err=True)

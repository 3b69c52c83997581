"""`pyibc watch`: detect misbehaviour and freeze the light clients that accepted it."""

import json
import sys
import time
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any

import click

from pyibc.cli.between import between, drivers_of, endpoints, reports
from pyibc.cli.following import Retries
from pyibc.relayer.chain.endpoint import ChainEndpoint, Consumer
from pyibc.relayer.clients.driver import Drivers
from pyibc.relayer.clients.misbehaviour_monitor import ConflictingHeader, FreezeResult, MisbehaviourMonitor
from pyibc.relayer.links.outcomes import refusal

FOUND = 3
"""Exit code if misbehaviour was found."""


@click.command()
@between
@click.option(
    "--since",
    type=click.IntRange(0),
    default=1_000,
    show_default=True,
    help="Number of past blocks to check on each chain.",
)
@click.option(
    "--consumer-a", metavar="ID", help="Consumer id of the first chain on the second, its provider."
)
@click.option("--consumer-b", metavar="ID", help="Consumer id of the second chain on the first.")
@reports
def command(**options: Any) -> None:
    """Compare the headers submitted to light clients with the chains themselves.

    Every header in a transaction that updates a client of the other chain is compared with that chain's own.
    A different header signed by the chain's validators is evidence: all clients of that chain are frozen
    with it (ICS-2), and the provider of a consumer chain gets it, to slash these validators. Exit code
    3 if that happened, 1 if a chain does not answer (--follow waits for it), 2 for wrong use.
    """
    drivers = drivers_of(options)
    found = False
    retries = Retries(endless=options["follow"])
    with suppress(KeyboardInterrupt), ExitStack() as stack:
        a, b = retries.run(lambda: stack.enter_context(endpoints(options)))
        watches = retries.run(lambda: _monitors(a, b, options, drivers))
        while True:
            for name, watch in watches.items():
                for conflict in retries.run(watch.detect):
                    found = True
                    reported = retries.run(partial(watch.report_consumer, conflict))
                    frozen = retries.run(partial(watch.freeze, conflict))
                    _show(name, conflict, frozen, reported, as_json=options["as_json"])
                while watch.unchecked:
                    click.echo(f"not watched: {watch.unchecked.pop(0)}", err=True)
            if not options["follow"]:
                break
            time.sleep(options["interval"])
    sys.exit(FOUND if found else 0)


def _monitors(
    a: ChainEndpoint, b: ChainEndpoint, options: dict[str, Any], drivers: Drivers
) -> dict[str, MisbehaviourMonitor]:
    """Return the monitor of each chain's clients, by chain id."""
    return {
        host.chain_id: MisbehaviourMonitor(
            host, target, host.tip().height - options["since"], drivers, consumer and Consumer(consumer)
        )
        for host, target, consumer in ((a, b, options["consumer_b"]), (b, a, options["consumer_a"]))
    }


def _show(
    host: str,
    conflict: ConflictingHeader,
    frozen: list[FreezeResult],
    reported: FreezeResult | None,
    *,
    as_json: bool,
) -> None:
    height = conflict.submitted.height.revision_height
    record = {
        "host": host,
        "chain_id": conflict.chain_id,
        "height": height,
        "given_at": conflict.host_height,
        "clients": {each.client_id: _result(each, "frozen") for each in frozen},
        "provider": reported and _result(reported, "reported"),
    }
    if as_json:
        click.echo(json.dumps(record))
    else:
        where = f"{host} block {conflict.host_height}"
        click.echo(f"{where}: header {height} differs from that of {conflict.chain_id}")
        if reported is not None:
            click.echo(f"  provider, for {reported.client_id}: {_result(reported, 'reported')}")
        for each in frozen:
            click.echo(f"  {each.client_id}: {_result(each, 'frozen')}")
    sys.stdout.flush()  # the output may be a log file that is being read


def _result(found: FreezeResult, done: str) -> str:
    if found.outcome is None:
        return "no common ground"
    if found.outcome.code:
        return f"refused {refusal(found.outcome)} {found.outcome.log}".strip()
    return done

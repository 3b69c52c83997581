"""`pyibc watch`: detects misbehaviour and freezes the light clients that it was submitted to."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import click

from ibc_relayer.misbehaviour_monitor import ConflictingHeader, FreezeResult, MisbehaviourMonitor
from ibc_relayer.submission import refusal
from pyibc.cli.between import between, drivers_of, endpoints, reports

FOUND = 3
"""Exit code if misbehaviour was found."""


@click.command()
@between
@click.option(
    "--since",
    type=click.IntRange(0),
    default=1_000,
    show_default=True,
    help="Blocks to look back on each chain.",
)
@reports
def command(**options: Any) -> None:
    """Compare the headers submitted to light clients with the chains themselves.

    Every header in a transaction that updates a client of the other chain is compared with that chain's own.
    One that its validators signed and that differs is evidence: all clients of that chain are frozen with it
    (ICS-2). Exit code 3 if that happened, 1 if a chain does not answer, 2 for wrong use.
    """
    drivers = drivers_of(options)
    with endpoints(options) as (a, b):
        watches = [
            MisbehaviourMonitor(host, target, host.tip().height - options["since"], drivers)
            for host, target in ((a, b), (b, a))
        ]
        names = a.chain_id, b.chain_id
        found = False
        with suppress(KeyboardInterrupt):
            while True:
                for watch, name in zip(watches, names, strict=True):
                    for conflict in watch.detect():
                        found = True
                        _show(name, conflict, watch.freeze(conflict), as_json=options["as_json"])
                if not options["follow"]:
                    break
                time.sleep(options["interval"])
    sys.exit(FOUND if found else 0)


def _show(host: str, conflict: ConflictingHeader, frozen: list[FreezeResult], *, as_json: bool) -> None:
    height = conflict.submitted.height.revision_height
    record = {
        "host": host,
        "chain_id": conflict.chain_id,
        "height": height,
        "given_at": conflict.host_height,
        "clients": {each.client_id: _result(each) for each in frozen},
    }
    if as_json:
        click.echo(json.dumps(record))
    else:
        where = f"{host} block {conflict.host_height}"
        click.echo(f"{where}: a header {height} of {conflict.chain_id}, which has another")
        for line in _lines(frozen):
            click.echo(line)
    sys.stdout.flush()  # the output may be a log file that is being read


def _lines(frozen: list[FreezeResult]) -> Iterator[str]:
    for each in frozen:
        yield f"  {each.client_id}: {_result(each)}"


def _result(frozen: FreezeResult) -> str:
    if frozen.outcome is None:
        return "no common ground"
    if frozen.outcome.code:
        return f"refused {refusal(frozen.outcome)} {frozen.outcome.log}".strip()
    return "frozen"

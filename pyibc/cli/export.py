"""`pyibc export`: writes a node's past blocks to a folder that `pyibc index` reads."""

from contextlib import closing
from pathlib import Path

import click

from ibc_core.errors import IbcError
from ibc_indexer.export import BlockExporter
from ibc_relayer.rpc_blocks import RpcBlocks
from ibc_relayer.rpc_client import HttpRpc


@click.command("export")
@click.argument("url")
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="The folder.")
@click.option("--from", "first", type=click.IntRange(1), help="First height (the oldest that lacks).")
@click.option("--to", "last", type=click.IntRange(1), help="Last height (the chain's last).")
def command(url: str, out: Path, first: int | None, last: int | None) -> None:
    """Write the blocks of the CometBFT node at URL to a folder, for `pyibc index`.

    Called again, it goes on behind the last block that is there. Exit code 1 if the node does not answer or
    has no such block (those before it are written), 2 for wrong use.
    """
    if first and last and first > last:
        raise click.UsageError(f"--from {first} is above --to {last}")
    try:
        rpc = HttpRpc(url)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    try:
        with closing(rpc), BlockExporter(out) as exporter:
            click.echo(_export(RpcBlocks(rpc), exporter, first, last))
    except IbcError as error:
        raise click.ClickException(str(error)) from error


def _export(blocks: RpcBlocks, exporter: BlockExporter, first: int | None, last: int | None) -> str:
    """Raises IbcError."""
    kept = blocks.kept()
    start = first or max(kept.start, exporter.last_height + 1)
    end = last or kept.stop - 1
    if first and not last and first > end:
        blocks.block(first)  # raises that it does not exist yet
    for height in range(start, end + 1):
        exporter.write(blocks.block(height))
    if start > end:
        return f"{blocks.chain_id}: nothing new behind block {exporter.last_height}"
    return f"{blocks.chain_id}: blocks {start} to {end}"

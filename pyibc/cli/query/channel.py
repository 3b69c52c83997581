"""`pyibc query channel`: one end of a channel, with its proof on request (ICS-4's queryChannel)."""

import json
from typing import Any

import click

from pyibc.cli.one_chain import endpoint, of_chain
from pyibc.core import paths
from pyibc.core.errors import ChannelNotFound
from pyibc.core.wire.states import decode_channel_end
from pyibc.relayer.chain.grpc_query import read_of


@click.command("channel")
@click.argument("port")
@click.argument("channel")
@click.option("--prove", is_flag=True, help="With a proof of the end, or of its absence.")
@of_chain
def command(port: str, channel: str, prove: bool, **options: Any) -> None:
    """Show the channel end CHANNEL of PORT, with any name.

    With --prove: a MerkleProof in hexadecimal, and the height of the header with the matching app hash.
    """
    key = paths.channel_path(port, channel)
    with endpoint(options) as chain:
        shown: dict[str, Any] = {}
        if prove:
            proven = chain.prove(key, chain.tip().height - 1)
            raw, shown = proven.value, {"proof": proven.proof.hex(), "proof_height": str(proven.height)}
        else:
            raw = chain.get(key)
        if raw is None and not prove:
            raise ChannelNotFound(port, channel)
        end = None if raw is None else read_of(chain, channel, lambda: decode_channel_end(raw))
    if end is not None:
        far = end.counterparty
        shown = {
            "state": end.state.name,
            "ordering": end.ordering.text,
            "counterparty": {"port_id": far.port_id, "channel_id": far.channel_id},
            "connection_hops": list(end.connection_hops),
            "version": end.version,
        } | shown
    click.echo(json.dumps(shown, indent=2))

"""`pyibc relay chains`: chains of a configuration."""

import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import click

from pyibc.chain.comet.settings import replace_synced
from pyibc.cli.progress import progress
from pyibc.cli.relay.configured import reports, with_config
from pyibc.relayer.config.from_registry import RegistryChain, read_entry
from pyibc.relayer.errors import RelayerError, WrongConfiguration
from pyibc.relayer.rpc.client import HttpRpc, RpcConfig, printable
from pyibc.relayer.rpc.http_pool import redacted_url
from pyibc.relayer.rpc.reading import chain_id_of

_AT_ONCE = 8
_TIMEOUT_S = 5.0
_MAX_STATUS = 1 << 16  # bytes


@click.group("chains")
def command() -> None:
    """Add chains of a chain registry to a configuration."""


@command.command("add")
@click.argument("name")
@click.option("--registry", required=True, help="Clone of a chain registry, or URL of its files.")
@click.option("--nodes", "count", type=click.IntRange(1, 8), default=3, show_default=True, help="RPC nodes.")
@click.option("--key", "key_file", help="File of the chain's key.  [default: keys/CHAIN-ID.key]")
@click.option("--offline", is_flag=True, help="Take the first nodes without querying them.")
@with_config
@reports
def add(name: str, registry: str, count: int, key_file: str | None, offline: bool, file: Path) -> None:
    """Add the chain NAME of a chain registry to the configuration: id, nodes, prefix and fees.

    NAME is that of the chain's folder in the registry, such as cosmoshub. Nodes that do not answer for the
    chain are left out. Exit code 1 if none answers, 2 if there is no such entry, or the chain is there.
    """
    with progress("reading the registry"):
        try:
            chain = read_entry(registry, name)
        except ValueError as error:
            raise click.UsageError(str(error)) from error
    text = _text_without(file, chain.id)
    with progress("querying the nodes", shows=not offline):
        nodes = chain.nodes if offline else tuple(_answering(chain))
    if not nodes:
        raise click.ClickException(f"none of {chain.id}'s {len(chain.nodes)} nodes in the registry answers")
    key = key_file or f"keys/{chain.id}.key"
    mode = file.stat().st_mode & 0o777 if file.exists() else 0o644
    replace_synced(file, (text + chain.table(nodes[:count], key)).encode(), mode)
    click.echo(f"added {chain.id} to {file}: {', '.join(map(redacted_url, nodes[:count]))}")
    notes = [
        *chain.notes,
        f"its key is read from {key}: `pyibc relay keys add {chain.id}` writes keys/{chain.id}.key",
    ]
    for note in notes:
        click.echo(f"note: {printable(note)}", err=True)


def _text_without(file: Path, chain_id: str) -> str:
    """Return the text of the configuration, that of a new one if there is no file, to which tables are added.

    Raises:
        WrongConfiguration: the file is not TOML, or has the chain already.
        OSError: the file cannot be read.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return '[relayer]\njournal = "relayer.db"\n\n'
    try:
        given = tomllib.loads(text).get("chains", [])
        is_there = any(chain.get("id") == chain_id for chain in given)
    except (ValueError, RecursionError, AttributeError, TypeError) as error:
        raise WrongConfiguration(str(file), f"is not a configuration: {error}") from error
    if is_there:
        raise WrongConfiguration(str(file), f"has {chain_id} already: edit or remove its table")
    return text.rstrip("\n") + "\n\n"


def _answering(chain: RegistryChain) -> Iterator[str]:
    """Yield the nodes that answer for the chain, in the registry's order."""
    with ThreadPoolExecutor(_AT_ONCE) as executor:
        for url, answered in zip(chain.nodes, executor.map(_chain_id_of, chain.nodes), strict=True):
            if answered == chain.id:
                yield url


def _chain_id_of(url: str) -> str:
    """Return the chain of a node; "" if it does not tell."""
    try:
        with closing(
            HttpRpc(url, RpcConfig(timeout_s=_TIMEOUT_S, attempts=1, max_answer=_MAX_STATUS))
        ) as rpc:
            return chain_id_of(rpc.call("status"))
    except (RelayerError, ValueError):
        return ""

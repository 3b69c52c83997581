"""A configuration of `pyibc relay start` for a network: its chains, its funded relayer's key, one path."""

from collections.abc import Sequence
from pathlib import Path

from ibc_core.identifiers import validate_channel_id
from ibc_relayer.keys import read_private_file, write_private_file

CONFIG, KEY = "relayer.toml", "relayer.key"


def write_relayer(folder: Path, chains: Sequence[tuple[str, str, str]], key: bytes, channel: str) -> Path:
    """Writes relayer.toml and relayer.key (mode 0600) into `folder`; returns the path of relayer.toml.

    Args:
        folder: Created if absent.
        chains: Of each its id, RPC and address prefix; the path is between the first two.
        key: Private key of the relayer's account on every chain.
        channel: The path's channel on the first chain.

    Raises:
        OSError: a file cannot be written.
        KeyExposed, KeyRefused: there is a key file that is not the owner's alone.
        ValueError: there is a key file with another key, or one chain only.
        InvalidIdentifier: the channel id is malformed.
    """
    if len(chains) < 2:
        raise ValueError("a path needs two chains")
    validate_channel_id(channel)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / KEY).exists():
        write_private_file(folder / KEY, key.hex() + "\n")
    elif read_private_file(folder / KEY).strip() != key.hex():
        raise ValueError(f"{folder / KEY}: holds another key")
    parts = ['[relayer]\nlisten = "127.0.0.1:3001"']
    for chain_id, rpc, prefix in chains:
        words = f'id = "{chain_id}"\nrpc = ["{rpc}"]\nprefix = "{prefix}"'
        parts.append(f'[[chains]]\n{words}\nkey = {{ file = "{KEY}" }}')
    parts.append(f'[[paths]]\na = "{chains[0][0]}"\nb = "{chains[1][0]}"\nchannels = ["{channel}"]')
    path = folder / CONFIG
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path

"""Recordings of ibc-go's applications as block lines, for the indexer: what its chains told any outsider."""

from base64 import b64decode
from collections import defaultdict
from pathlib import Path

from conformance.transcripts.reader import load
from pyibc.indexer.blocks.block import Block, Tx
from pyibc.indexer.blocks.lines import encode_line
from pyibc.proto.cosmos.tx.v1beta1.tx_pb2 import TxBody, TxRaw

RECORDINGS = Path(__file__).parent / "vectors" / "ibcgo-transcripts"


def write_blocks(name: str, folder: Path) -> None:
    """Writes the blocks of a recording into `folder`, one file a chain."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = defaultdict[str, dict[int, bytes]](dict)
    for step in load(RECORDINGS / f"{name}.json.gz")["steps"]:
        if "height" in step:
            block = _block(step)
            lines[block.chain_id][block.height] = encode_line(block)
    for chain, found in lines.items():
        (folder / f"{chain}.jsonl").write_bytes(b"".join(found[height] for height in sorted(found)))


def _block(step: dict) -> Block:
    txs = tuple(
        Tx(f"{step['n']:032X}{number:032X}", tx["code"], tuple(map(_event, tx["events"])), raw=_raw(tx))
        for number, tx in enumerate(step.get("txs") or ())
    )
    return Block(step["chain"], step["height"], step["time_ns"], txs)


def _event(event: dict) -> tuple[str, tuple[tuple[str, str], ...]]:
    told = tuple((each.get("key", ""), each.get("value", "")) for each in event["attributes"])
    return event["type"], told


def _raw(tx: dict) -> bytes:
    """A transaction of the recorded messages; nobody's signature is recorded."""
    body = TxBody()
    for message in tx["msgs"]:
        body.messages.add(type_url=message["type_url"], value=b64decode(message["value_b64"]))
    return TxRaw(body_bytes=body.SerializeToString()).SerializeToString()

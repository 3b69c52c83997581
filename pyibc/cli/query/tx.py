"""`pyibc query tx`: a transaction, and what came of it."""

import re
from collections.abc import Iterator
from typing import Any

import click

from pyibc.cli.one_chain import endpoint, of_chain
from pyibc.cli.query.showing import Missing, message_json, packet_rows, show
from pyibc.codec.anys import AnyMessage
from pyibc.core.host.block import TxOutcome, tx_hash
from pyibc.proto.cosmos.tx.v1beta1 import tx_pb2
from pyibc.relayer.chain.grpc_query import read_of
from pyibc.relayer.rpc.transactions import FoundTx

_hash = re.compile("(?:0x)?([0-9a-fA-F]{64})").fullmatch


@click.command("tx")
@click.argument("hash_text", metavar="HASH")
@of_chain
def command(hash_text: str, **options: Any) -> None:
    """Show the transaction HASH: result, gas, fee, signers, messages, packets.

    Exit code 0 if it is in a block, also if it failed there; 4 if the chain's node does not have it.
    """
    digest = hash_of(hash_text)
    with endpoint(options) as chain:
        found = chain.find_tx(digest)
        if found is None:
            raise Missing(
                f"{chain.chain_id} has no transaction {digest.hex().upper()}. Check the hash and the chain; "
                "a transaction just sent appears with the next block, and nodes forget old ones"
            )
        row = read_of(chain, "tx", lambda: tx_row(chain.chain_id, found))
    show(options, row, _lines(row))


def hash_of(text: str) -> bytes:
    """Return the bytes of a transaction's hash.

    Raises:
        ValueError: the text is not a hash.
    """
    found = _hash(text)
    if found is None:
        raise ValueError(f"{text!r} is not the hash of a transaction: it has 64 hexadecimal digits")
    return bytes.fromhex(found[1])


def tx_row(chain_id: str, found: FoundTx) -> dict[str, Any]:
    """Return a transaction as JSON.

    Raises:
        DecodeError: the bytes are not a transaction of the Cosmos SDK.
    """
    outcome = found.outcome
    tx = tx_pb2.Tx.FromString(outcome.tx)
    fee, signers = tx.auth_info.fee, _signers(outcome)
    return {
        "chain_id": chain_id,
        "hash": tx_hash(outcome.tx).hex().upper(),
        "height": found.height,
        "code": outcome.code,
        "codespace": outcome.codespace,
        "error": outcome.log if outcome.code else "",
        "gas_wanted": outcome.gas_wanted,
        "gas_used": outcome.gas_used,
        "fee": [{"denom": each.denom, "amount": each.amount} for each in fee.amount],
        "fee_payer": fee.payer or _attribute(outcome, "fee_payer") or next(iter(signers), ""),
        "signers": signers,
        "memo": tx.body.memo,
        "messages": [message_json(AnyMessage(each.type_url, each.value)) for each in tx.body.messages],
        "packets": packet_rows(outcome.events),
    }


def _signers(outcome: TxOutcome) -> list[str]:
    """Return the addresses whose sequences the transaction used."""
    found = (
        value.rpartition("/")[0]
        for kind, pairs in outcome.events
        if kind == "tx"
        for key, value in pairs
        if key == "acc_seq"
    )
    return list(dict.fromkeys(found))


def _attribute(outcome: TxOutcome, name: str) -> str:
    pairs = (pair for kind, pairs in outcome.events if kind == "tx" for pair in pairs)
    return next((value for key, value in pairs if key == name), "")


def _lines(row: dict[str, Any]) -> Iterator[str]:
    yield f"transaction {row['hash']} on {row['chain_id']}"
    yield f"height:   {row['height']}"
    failed = f"failed with {row['codespace']}/{row['code']}: {row['error']}"
    yield f"result:   {failed if row['code'] else 'succeeded'}"
    yield f"gas:      {row['gas_used']} of {row['gas_wanted']}"
    fee = ",".join(f"{each['amount']}{each['denom']}" for each in row["fee"]) or "none"
    yield f"fee:      {fee}" + (f", paid by {row['fee_payer']}" if row["fee"] else "")
    yield f"signers:  {', '.join(row['signers']) or 'unknown: the node does not tell them'}"
    if row["memo"]:
        yield f"memo:     {row['memo']}"
    for each in row["messages"]:
        yield f"message:  {_message(each)}"
    for each in row["packets"]:
        yield f"packet:   {each['type']} {each['sequence']}, {each['source']} -> {each['destination']}"


def _message(content: dict[str, Any]) -> str:
    """Return a message on one line: its type, and its fields that are texts or numbers."""
    fields = (f"{key}={value}" for key, value in content.items() if key != "@type" and _is_plain(value))
    return " ".join([content["@type"], *fields])


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int) and value not in {"", "0", 0}

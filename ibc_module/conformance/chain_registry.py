"""Denominations in production use, from the chain registry: path and coin name."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from ibc_module.apps.transfer.denom import (
    decode_denom,
    encode_denom,
    parse_denom,
    parse_hash,
    voucher,
    without_first_hop,
)
from ibc_module.conformance.case import CaseResult, Check, expect, load_json, run_files

FAMILY = "chain-registry"


def run(folder: Path) -> list[CaseResult]:
    """The pairs below `folder`."""
    return run_files(FAMILY, folder, _cases)


def _cases(path: Path) -> Iterator[tuple[str, Check]] | None:
    if path.suffix != ".json":
        return None
    pairs = load_json(path)["pairs"]
    return iter([(pair["path"], partial(_check, pair["path"], pair["denom"])) for pair in pairs])


def _check(path: str, name: str) -> None:
    denom = parse_denom(path)
    denom.validate()
    expect((denom.path, denom.coin_denom), (path, name))
    expect(parse_hash(name.removeprefix("ibc/")), denom.digest)
    expect(decode_denom(encode_denom(denom)), denom)
    last = denom.trace[0]
    expect(voucher(without_first_hop(denom), last.port_id, last.channel_id), denom)

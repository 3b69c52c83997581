"""Denominations in production use, from the chain registry: path and coin name."""

from functools import partial
from pathlib import Path

from conformance.case import Cases, expect, is_object
from conformance.files import json_in
from pyibc.apps.transfer.coins import voucher, without_first_hop
from pyibc.apps.transfer.denom import decode_denom, encode_denom, parse_denom, parse_hash


def cases_of(path: Path) -> Cases | None:
    """Return one case per pair of path and denomination; None if the file has no `pairs`."""
    data = json_in(path)
    if not is_object(data, "pairs"):
        return None
    return ((pair["path"], partial(_check, pair["path"], pair["denom"])) for pair in data["pairs"])


def _check(path: str, name: str) -> None:
    denom = parse_denom(path)
    denom.validate()
    expect((denom.path, denom.coin_denom), (path, name))
    expect(parse_hash(name.removeprefix("ibc/")), denom.digest)
    expect(decode_denom(encode_denom(denom)), denom)
    last = denom.trace[0]
    expect(voucher(without_first_hop(denom), last.port_id, last.channel_id), denom)

"""Blocks under another incarnation than their lines name are as if the lines named it."""

import json
from base64 import b64encode

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from pyibc.indexer.blocks.block import Block, Tx
from pyibc.indexer.blocks.lines import encode_line
from pyibc.indexer.bronze.ranges import Bounds, FileRange
from pyibc.indexer.bronze.records import SCHEMA, batches_of
from pyibc.indexer.pipeline.restarts import RENAMED, renamed
from pyibc.proto.google.protobuf.any_pb2 import Any
from pyibc.proto.ibc.applications.interchain_accounts.v1.packet_pb2 import CosmosTx
from tests.packet_attributes import attributes

ON = {"forward": {"receiver": "carol", "port": "transfer", "channel": "channel-5"}}
TRANSFER = {"amount": "7", "sender": "s"}
CALL = CosmosTx(messages=[Any(type_url="/cosmos.bank.v1beta1.MsgSend")]).SerializeToString()


def packet(kind, sequence, src, dst, data):
    more = {"packet_data_hex": json.dumps(data).encode().hex(), "msg_index": "0"}
    return kind, tuple(attributes(sequence, src, dst, until=9, **more).items())


def forwarded(height):
    """A transfer that is received and sent on."""
    came = TRANSFER | {"denom": "uatom", "receiver": "hop", "memo": json.dumps(ON)}
    went = TRANSFER | {"denom": "transfer/channel-2/uatom", "receiver": "carol"}
    return (
        packet("recv_packet", height, ("transfer", "channel-1"), ("transfer", "channel-2"), came),
        packet("send_packet", height, ("transfer", "channel-5"), ("transfer", "channel-6"), went),
    )


def called(height):
    """A call of an interchain account."""
    data = {"type": "TYPE_EXECUTE_TX", "data": b64encode(CALL).decode(), "memo": ""}
    ends = (("icacontroller-c", f"channel-{height}"), ("icahost", "channel-9"))
    return (packet("send_packet", height, *ends, data),)


BLOCKS = [
    *(Block("b-1", height, height, (Tx("AA", 0, forwarded(height)),)) for height in (1, 2, 5)),
    *(Block("b-1", height, height, (Tx("BB", 0, called(height)),)) for height in (3, 6)),
    Block("b-1", 4, None, ()),
]


def decoded(path, incarnation):
    lines = [encode_line(block._replace(incarnation=incarnation or "")) for block in BLOCKS]
    path.write_bytes(b"".join(lines))
    return pa.Table.from_batches(batches_of([FileRange(str(path), 0, path.stat().st_size)], Bounds()), SCHEMA)


def by_height(table):
    return table.drop_columns(["byte_offset", "file", "rank"]).sort_by("height").to_pylist()


@pytest.mark.parametrize("told", [None, "ab" * 8])
@pytest.mark.parametrize("name", [None, "00ff" * 4])
def test_renamed_blocks_are_those_of_lines_that_name_the_incarnation(tmp_path, told, name):
    wanted, given = decoded(tmp_path / "wanted", name), decoded(tmp_path / "given", told)
    counts = {
        array: pc.list_value_length(wanted[array]) for array in ("events", "transfers", "forwards", "calls")
    }
    assert {array: pc.sum(numbers).as_py() for array, numbers in counts.items()} == {
        "events": 8,
        "transfers": 6,
        "forwards": 3,
        "calls": 2,
    }
    assert (by_height(wanted) == by_height(given)) is (told == name)
    rows = given.append_column(RENAMED, pa.array([name] * len(given), pa.string()))
    # Small record batches, which begin in the middle of the arrays.
    found = pa.Table.from_batches(renamed(rows.to_batches(max_chunksize=2)), SCHEMA)
    assert by_height(found) == by_height(wanted)

"""`pyibc query queue`: receipts as they are shown."""

from types import SimpleNamespace

import pytest

from pyibc.cli.query.queue import _element
from pyibc.queues.packet import Receipt
from pyibc.queues.states import encode_receipt
from pyibc.queues.types import parse_name

RECEIPTS = parse_name("ibc:one-1/connection-0/channel-0/connection-3/channel-4:incoming")


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (encode_receipt(Receipt(b"")), {"result": ""}),
        (encode_receipt(Receipt(b"\x01\xab")), {"result": "01ab"}),
        (encode_receipt(Receipt(b"", "coins", 5)), {"codespace": "coins", "code": 5}),
        (b"\xff\x00", {"value": "ff00"}),
    ],
)
def test_a_receipt_is_shown_by_its_outcome(raw, shown):
    assert _element(SimpleNamespace(chain_id="two-2"), RECEIPTS, 7, raw) == {"index": "7", **shown}

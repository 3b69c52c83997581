"""A runner that cannot fail proves nothing: each table once right, once wrong."""

import pytest

from conformance.case import run_files
from conformance.vectors import go_semantics

GOOD = b'{"denom":"uatom","amount":"1","sender":"s","receiver":"r"}'
PACKET = {
    "in_hex": GOOD.hex(),
    "ok": True,
    "denom": b"uatom".hex(),
    "amount": "31",
    "sender": "73",
    "receiver": "72",
    "memo": "",
    "remarshal_hex": GOOD.hex(),
    "roundtrip": True,
}
NAMED = {
    "hex": b"channel-0".hex(),
    "bytes": 9,
    "trimspace_empty": False,
    "channel_regex": True,
    "client_regex": True,
    "id_regex": True,
    "revision_regex": False,
}
CHAIN = NAMED | {"hex": b"chain-7".hex(), "bytes": 7, "channel_regex": False, "revision_regex": True}


@pytest.mark.parametrize(
    ("table", "right", "wrong"),
    [
        ("packet_data_ics20_v1", PACKET, PACKET | {"ok": False}),
        ("packet_data_ics20_v1", PACKET, PACKET | {"sender": "74"}),
        ("packet_data_ics20_v1", PACKET, PACKET | {"roundtrip": False}),
        ("packet_data_ics20_v1", {"in_hex": "7b", "ok": False}, {"in_hex": "7b", "ok": True}),
        (
            "amount_setstring_base0",
            {"s": "0x10", "sdk_ok": True, "value": "16", "positive": True},
            {"s": "0x10", "sdk_ok": True, "value": "10", "positive": True},
        ),
        (
            "amount_setstring_base0",
            {"s": "1.0"},
            {"s": "1.0", "sdk_ok": True, "value": "1", "positive": True},
        ),
        ("parse_uint64", {"s": "01", "ok": True, "value": "1"}, {"s": "+1", "ok": True, "value": "1"}),
        ("identifiers", NAMED, NAMED | {"channel_regex": False}),
        ("identifiers", NAMED, NAMED | {"id_regex": False}),
        ("identifiers", NAMED, NAMED | {"trimspace_empty": True}),
        ("identifiers", CHAIN, CHAIN | {"revision_regex": False}),
        ("base64_std", {"s": "AR==", "ok": True, "hex": "01"}, {"s": "AQ=", "ok": True, "hex": "01"}),
        (
            "string_marshal",
            {"in_hex": "08", "json_hex": b'"\\u0008"'.hex()},
            {"in_hex": "3c", "json_hex": b'"<"'.hex()},
        ),
    ],
)
def test_each_table_can_fail(family, verdicts, table, right, wrong):
    folder = family("go-semantics", tables={"go": "1.26", table: [right, wrong]})
    assert verdicts(run_files(folder, go_semantics.cases_of)) == [True, False]


def test_what_is_not_understood_is_a_failure(family, verdicts):
    folder = family("go-semantics", tables={"float_parse": [{}]}, odd=[1])
    (folder / "notes.txt").write_text("x")
    (folder / "ORIGIN.md").write_text("x")
    results = run_files(folder, go_semantics.cases_of)
    assert {(result.file, result.case) for result in results} == {
        ("notes.txt", ""),
        ("odd.json", ""),
        ("tables.json", ""),
    }
    assert not any(verdicts(results))

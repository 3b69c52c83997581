"""Metadata of interchain accounts' channels, as ibc-go's jsonpb reads and prints them."""

import json

import pytest

from pyibc.apps.interchain_accounts.packet_data import (
    Metadata,
    check_metadata,
    decode_metadata,
    default_metadata,
)
from pyibc.core.errors import (
    InvalidAccountAddress,
    InvalidAccountsVersion,
    InvalidConnection,
    InvalidType,
    UnknownDataType,
    UnsupportedEncoding,
)

HERE, THERE = "connection-3", "connection-71"
GIVEN = default_metadata(HERE, THERE)
TEXT = (
    '{"version":"ics27-1","controller_connection_id":"connection-3","host_connection_id":"connection-71",'
    '"address":"","encoding":"proto3","tx_type":"sdk_multi_msg"}'
)


@pytest.mark.parametrize(
    ("version", "found"),
    [
        (TEXT, GIVEN),
        (json.dumps(json.loads(TEXT), indent=2), GIVEN),
        (TEXT + "anything", GIVEN),  # Go's decoder reads the first value
        (TEXT.replace("controller_connection_id", "controllerConnectionId"), GIVEN),
        (TEXT.replace('"version":', '"version":"old","version":'), GIVEN),
        (TEXT.replace("{", '{"txType":"camel",'), GIVEN._replace(tx_type="camel")),  # whichever comes first
        ("null", Metadata("", "", "", "", "", "")),
        ("{}", Metadata("", "", "", "", "", "")),
        ('{"address":null}', Metadata("", "", "", "", "", "")),
        ('{"address":"\\ud800"}', Metadata("", "", "", "\ufffd", "", "")),
    ],
)
def test_it_is_read_as_go_reads_it(version, found):
    assert decode_metadata(version) == found


@pytest.mark.parametrize(
    "version",
    [
        "", "ics27-1", "[]", '"text"', "1", "true", '{"version":1}', '{"version":["x"]}', '{"version":{}}',
        '{"Version":"ics27-1"}', '{"more":""}', "{", "\ufeff{}", "{'version':''}",
    ],
)  # fmt: skip
def test_h163_what_is_no_metadata(version):
    with pytest.raises(InvalidType):
        decode_metadata(version)


def test_h163_deep_and_long_metadata_cost_no_recursion():
    for version in (
        "[" * 100_000,
        '{"version":' + "[" * 9_000,
        '{"x":' * 9_000,
        '{"version":"' + "x" * 60_000,
    ):
        with pytest.raises(InvalidType):
            decode_metadata(version)


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"encoding": "proto2"}, UnsupportedEncoding),
        ({"encoding": ""}, UnsupportedEncoding),
        ({"tx_type": "sdk_single_msg"}, UnknownDataType),
        ({"controller_connection_id": THERE}, InvalidConnection),
        ({"host_connection_id": HERE}, InvalidConnection),
        ({"host_connection_id": ""}, InvalidConnection),
        ({"address": "not-an-address"}, InvalidAccountAddress),
        ({"address": "x" * 129}, InvalidAccountAddress),
        ({"address": "é"}, InvalidAccountAddress),
        ({"version": "ics27-2"}, InvalidAccountsVersion),
    ],
)
def test_what_does_not_fit_the_channel(changed, error):
    with pytest.raises(error):
        check_metadata(GIVEN._replace(**changed), HERE, THERE)


def test_the_first_of_several_faults_is_told():
    order = ("encoding", "tx_type", "controller_connection_id", "address", "version")
    errors = (UnsupportedEncoding, UnknownDataType, InvalidConnection, InvalidAccountAddress)
    faults = GIVEN._replace(**dict.fromkeys(order, "-"))
    for name, error in zip(order, errors, strict=False):
        with pytest.raises(error):
            check_metadata(faults, HERE, THERE)
        faults = faults._replace(**{name: getattr(GIVEN, name)})

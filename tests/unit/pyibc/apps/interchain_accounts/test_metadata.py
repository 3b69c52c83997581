"""Metadata of interchain accounts' channels, as ibc-go's jsonpb reads and prints them."""

import pytest

from pyibc.apps.interchain_accounts.packet_data import (
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

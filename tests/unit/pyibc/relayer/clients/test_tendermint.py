"""Headers that a client of a chain would trust."""

import pytest

from pyibc.proto.tendermint.types import types_pb2, validator_pb2
from pyibc.relayer.chain.values import LightBlock
from pyibc.relayer.clients.tendermint import is_trusted


def light(powers: dict[bytes, int], signed: dict[bytes, int]) -> LightBlock:
    members = [validator_pb2.Validator(address=a, voting_power=p) for a, p in powers.items()]
    header = types_pb2.SignedHeader()
    for address, flag in signed.items():
        header.commit.signatures.add(validator_address=address, block_id_flag=flag)
    validators = validator_pb2.ValidatorSet(validators=members)
    return LightBlock(1, 0, header.SerializeToString(), validators.SerializeToString())


@pytest.mark.parametrize(
    ("signed", "expected"),
    [
        ({b"x": 2}, False),  # exactly a third is not more than a third
        ({b"x": 2, b"y": 2}, True),
        ({b"x": 2, b"y": 3}, False),  # a vote for nil is no vote for the block
        ({b"x": 2, b"q": 2}, False),
        ({}, False),
    ],
)
def test_trust(signed, expected) -> None:
    trusted = light({b"x": 10, b"y": 10, b"z": 10}, {})
    assert is_trusted(light({b"q": 1}, signed), trusted, (1, 3)) is expected

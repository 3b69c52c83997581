"""The page of differences tells the limits as they are: each number there is a constant of the code."""

import re
from pathlib import Path

import pytest

from ibc_module.queries.lookup import MAX_SEQUENCES
from light_client.tendermint.states import MAX_CHILDREN, MAX_PROOF_DEPTH, MAX_PROOF_SPECS
from light_client.tendermint.types import MAX_VALIDATORS
from pyibc.codec.budget import (
    BYTES_A_BYTE,
    BYTES_AN_ELEMENT,
    ELEMENTS_OF_A_FIELD,
    ELEMENTS_OF_AN_ANY,
    FREE_ELEMENTS,
)
from pyibc.core.host.gas import DEFAULT_PRICES
from pyibc.core.proofs.decode import BYTES_A_FIELD, FREE_FIELDS
from pyibc.core.wire.tx import MAX_FEE_COINS, MAX_SIGNERS

PAGE = Path(__file__).parents[3] / "docs" / "adr" / "0010-differences-to-ibc-go.md"
SIGNATURE, VALIDATOR, PROOF_BYTE, FOREIGN_PROOF_BYTE = DEFAULT_PRICES._asdict().values()


def rows():
    """The table of what no recording shows: its first cells, and the third."""
    _, table = PAGE.read_text(encoding="utf-8").split("What no recording shows")
    return [line.split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]


def numbers(text):
    """The whole numbers in a text, also with commas, and one written out."""
    found = re.findall(r"\b(?:[0-9][0-9,]*[0-9]|[0-9]|three)\b", text)
    return [3 if each == "three" else int(each.replace(",", "")) for each in found]


@pytest.mark.parametrize(
    ("begins", "told"),
    [
        ("a client with more than", [MAX_PROOF_SPECS, MAX_CHILDREN, MAX_PROOF_DEPTH]),
        ("a proof with more fields", [FREE_FIELDS, BYTES_A_FIELD]),
        ("a header with more than", [MAX_VALIDATORS]),
        ("a transaction whose decoding", [BYTES_A_BYTE]),
        (
            "a transaction in which the messages",
            [
                FREE_ELEMENTS // ELEMENTS_OF_A_FIELD,
                BYTES_AN_ELEMENT * ELEMENTS_OF_A_FIELD,
                FREE_ELEMENTS,
                BYTES_AN_ELEMENT,
                ELEMENTS_OF_AN_ANY,
            ],
        ),
        ("a transaction with more than", [MAX_SIGNERS, MAX_FEE_COINS]),
        ("`UnreceivedPackets`", [MAX_SEQUENCES]),
    ],
)
def test_a_limit_is_the_code_s(begins, told):
    (row,) = [row for row in rows() if row[0].removeprefix("| ").startswith(begins)]
    assert numbers(row[0]) == told


def test_the_prices_are_the_code_s():
    (row,) = [row for row in rows() if row[0].startswith("| gas of a client's")]
    assert numbers(row[2]) == [SIGNATURE, VALIDATOR, PROOF_BYTE, FOREIGN_PROOF_BYTE]

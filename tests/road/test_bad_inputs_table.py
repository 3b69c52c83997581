"""The list of bad inputs is whole: every row is there, and every value has a test that exists."""

import tomllib
from pathlib import Path

import pytest

from tools import collected as collecting

TESTS = Path(__file__).parents[1]
TABLE = tomllib.loads((Path(__file__).parent / "bad_inputs.toml").read_text())
WORDS = {"input", "note"}
ROWS = 65


def values(row):
    return {value: test for value, test in TABLE[row].items() if value not in WORDS}


@pytest.fixture(scope="module")
def collected():
    """Every test in the files that the table names, as pytest calls it."""
    files = sorted({test.partition("::")[0] for row in TABLE for test in values(row).values()})
    files += sorted(str(path.relative_to(TESTS)) for path in (TESTS / "road").glob("test_bad_inputs_*.py"))
    asked = [f"tests/{each}" for each in sorted(set(files))]
    return {node.removeprefix("tests/") for node in collecting.collected(TESTS.parent, asked)}


def test_every_row_is_there():
    assert [int(number) for number in TABLE] == list(range(1, ROWS + 1))
    assert [row for row in TABLE if not TABLE[row]["input"] or not values(row)] == []


@pytest.mark.slow
def test_every_value_has_a_test_that_exists(collected):
    missing = {row: test for row in TABLE for test in values(row).values() if test not in collected}
    assert missing == {}


@pytest.mark.slow
def test_every_test_made_for_the_list_is_in_it(collected):
    made = {test for test in collected if "/test_bad_inputs_" in test and "_table.py" not in test}
    named = {test for row in TABLE for test in values(row).values()}
    beside = {"test_61_a_packet_that_is_good", "test_61_payloads", "test_48_packet_data", "test_49_amounts"}
    assert [test for test in sorted(made - named) if not any(name in test for name in beside)] == []

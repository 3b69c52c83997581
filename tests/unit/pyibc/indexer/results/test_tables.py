"""Contract of the tables: docs/indexer-reference.md lists their columns."""

import re
from pathlib import Path

import pytest

from pyibc.indexer.frames import CONTRACTS

PAGE = (Path(__file__).parents[5] / "docs" / "indexer-reference.md").read_text(encoding="utf-8")


def section(name):
    found = PAGE.partition(f"\n### {name}\n")[2].partition("\n#")[0]
    assert found, name
    return found


def entries(name):
    """Return the cells of the section's rows: name, type, meaning."""
    rows = [line.split("|") for line in section(name).splitlines() if line.startswith("| `")]
    return [(re.findall("`([a-z_]+)`", row[1]), row[2].strip(), row[3].strip()) for row in rows]


@pytest.mark.parametrize("name", CONTRACTS)
def test_the_page_lists_every_column_and_no_other(name):
    listed = [column for columns, _, _ in entries(name) for column in columns]
    assert listed == [column for column, _ in CONTRACTS[name].columns]


@pytest.mark.parametrize("name", CONTRACTS)
def test_the_page_tells_every_columns_type_and_the_key(name):
    kinds = dict(CONTRACTS[name].columns)
    for columns, told, _ in entries(name):
        types = re.split(r", (?![0-9])", told)
        types = types * len(columns) if len(types) == 1 else types
        assert types == [kinds[column] for column in columns], columns
    (key,) = re.findall(r"key ((?:`[a-z_]+`(?:, )?)+)", section(name))
    assert tuple(re.findall("`([a-z_]+)`", key)) == CONTRACTS[name].key

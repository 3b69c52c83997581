"""The tables' contract: what docs/indexer.md says of them is what they have."""

import re
from pathlib import Path

import pytest

from ibc_indexer.spark_engine import DIALECT
from ibc_indexer.tables import channels_table, clients_table, messages_table, transactions_table

PAGE = (Path(__file__).parents[3] / "docs" / "indexer.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("make", [transactions_table, messages_table, clients_table, channels_table])
def test_the_page_lists_every_column_and_no_other(make):
    table = make(DIALECT)
    section = PAGE.partition(f"\n### {table.name}\n")[2].partition("\n#")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    listed = [name for row in rows for name in re.findall("`([a-z_]+)`", row)]
    assert listed == [name for name, _ in table.columns]

"""The page of the index's tables lists every declared column, and no other."""

import pytest

from pyibc.indexer.frames import CONTRACTS
from tools import index_tables
from tools.index_tables import WrongMeanings, index_tables_page


@pytest.fixture
def changed(monkeypatch, tmp_path):
    """Changes a text of the file of meanings."""

    def change(old, new):
        text = index_tables.MEANINGS.read_text(encoding="utf-8")
        assert old in text
        path = tmp_path / "meanings.toml"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        monkeypatch.setattr(index_tables, "MEANINGS", path)

    return change


@pytest.mark.parametrize("name", CONTRACTS)
def test_a_table_has_its_columns_types_and_key(name):
    section = index_tables_page().partition(f"\n### {name}\n")[2].partition("\n#")[0]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("| `")]
    columns = {
        column: kinds[place]
        if len(kinds := row[2].strip().replace("(38,0)", "").split(", ")) > 1
        else kinds[0]
        for row in rows
        for place, column in enumerate(row[1].replace("`", "").strip().split(", "))
    }
    assert columns == {column: kind.replace("(38,0)", "") for column, kind in CONTRACTS[name].columns}
    assert section.splitlines()[1].endswith(f"key {', '.join(f'`{each}`' for each in CONTRACTS[name].key)}.")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            '"misbehaved" =',
            '"misbehaves" =',
            r"clients has the columns .*'misbehaves'\], declared are .*'misbehaved'\]",
        ),
        ('"chain, height, time" = ', '"chain, time, height" = ', "blocks has"),
        ("[clients]", "[client]", r"has the tables .*'client'.*, pyibc\.indexer has .*'clients'"),
        ('rows = "One row per client"\n', "", "clients has"),
    ],
)
def test_meanings_of_other_columns_are_refused(changed, old, new, told):
    changed(old, new)
    with pytest.raises(WrongMeanings, match=told):
        index_tables_page()

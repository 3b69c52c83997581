"""The page, the tables and the documentation have the same words for the same states."""

from pathlib import Path

from pyibc.indexer.report.words import DEFINITIONS
from pyibc.indexer.results.answers import STATES

DOCS = Path(__file__).parents[5] / "docs" / "indexer.md"


def test_every_state_has_a_colour_and_a_definition_that_the_docs_repeat():
    from pyibc.indexer.report.plots import COLOURS  # imports Matplotlib

    assert [*DEFINITIONS] == [*STATES]
    assert COLOURS.keys() == set(STATES)
    text = DOCS.read_text()
    section = text[text.index("## States") :]
    for state, definition in DEFINITIONS.items():
        assert f"| `{state}` | {definition} |\n" in section[: section.index("\n## ", 5)], state

"""The support table tells what the tests pin and what was tried, or is not written."""

import pytest

from tools import support
from tools.support import PinMissing, support_page


@pytest.fixture
def changed(monkeypatch):
    """Lets the tool read a file with one text in place of another."""
    read = support._text

    def change(path, old, new):
        def text(asked):
            content = read(asked)
            assert asked != path or old in content
            return content.replace(old, new) if asked == path else content

        monkeypatch.setattr(support, "_text", text)

    return change


def test_a_pin_that_is_raised_is_in_the_table(changed):
    changed("tools/requirements/dev.lock", "\nduckdb==", "\nduckdb==77.")
    assert "| DuckDB, delta-rs | 77." in support_page()


@pytest.mark.parametrize(
    ("path", "old", "new", "told"),
    [
        ("pyproject.toml", ":: Python :: 3.11", ":: Python :: 3.99", r"Python 3\.99.* is declared"),
        ("tools/live.sh", "HERMES:-1.", "HERMES:-9.", r"does not name Hermes 9\."),
        ("tools/cometbft.sh", "\nversion=0", "\nversion=", r"does not name CometBFT \.38"),
        ("conformance/walks/go/go.mod", "ibc-go/v11 v11.", "ibc-go/v11 v12.", "different versions of ibc-go"),
        ("Makefile", "cosmpy==", "cosmpy>=", "Makefile has no cosmpy"),
    ],
)
def test_what_is_pinned_nowhere_tried_nowhere_or_told_otherwise_is_refused(changed, path, old, new, told):
    changed(path, old, new)
    with pytest.raises(PinMissing, match=told):
        support_page()

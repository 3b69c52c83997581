"""HTML building blocks of the report. Callers must escape chain data."""

from collections.abc import Iterable, Sequence
from html import escape

from pyibc.indexer.words import count

TOP = 50  # rows of a table


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], name: str, words: Sequence[int] = (0,)) -> str:
    """Render a table of HTML cells; columns outside of `words` are right-aligned numbers."""

    def cell(tag: str, place: int, content: str) -> str:
        return f"<{tag}{'' if place in words else ' class=n'}>{content}</{tag}>"

    head = "".join(cell("th", place, escape(text)) for place, text in enumerate(heads))
    body = "".join(
        "<tr>" + "".join(cell("td", place, content) for place, content in enumerate(row)) + "</tr>"
        for row in rows
    )
    content = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="wide"><table id="{name}">{content}</table></div>'


def section(name: str, title: str, content: str) -> str:
    """Render a section of the page."""
    return f'<section id="{name}"><h2>{title}</h2>{content}</section>'


def image(address: str, alt: str) -> str:
    """Render an image."""
    return f'<div class="wide"><img src="{address}" alt="{escape(alt)}"></div>'


def nothing(reason: str) -> str:
    """Render the text of an empty section."""
    return f'<p class="none">{reason}</p>'


def more(total: int) -> str:
    """Render a note below a table that was truncated to `TOP` rows; "" if it is complete."""
    return f'<p class="none">The first {TOP} of {count(total)}.</p>' if total > TOP else ""

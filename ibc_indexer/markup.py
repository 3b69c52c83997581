"""Pieces of HTML that the report is made of. Whatever comes from a chain is escaped by who calls them."""

from collections.abc import Iterable, Sequence
from html import escape

from ibc_indexer.words import count

TOP = 50  # rows of a table


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], name: str, words: Sequence[int] = (0,)) -> str:
    """A table of cells in HTML; columns but those in `words` are numbers."""

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
    """A part of the page."""
    return f'<section id="{name}"><h2>{title}</h2>{content}</section>'


def image(address: str, alt: str) -> str:
    """A picture."""
    return f'<div class="wide"><img src="{address}" alt="{escape(alt)}"></div>'


def nothing(why: str) -> str:
    """What stands where a part has nothing to show."""
    return f'<p class="none">{why}</p>'


def more(total: int) -> str:
    """What a table of the first `TOP` rows leaves out."""
    return f'<p class="none">The first {TOP} of {count(total)}.</p>' if total > TOP else ""

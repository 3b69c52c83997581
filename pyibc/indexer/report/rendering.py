"""Rendering of templates with Jinja: escaped by default, undefined names are errors."""

from functools import lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from pyibc.indexer.report.states import label
from pyibc.indexer.words import LONGEST, amount, count, duration, moment, short


def render(name: str, **context: Any) -> str:
    """Render the template `name` of this package."""
    return environment().get_template(name).render(context)


@lru_cache(1)
def environment() -> Environment:
    """Return the environment of the report's templates."""
    # guard: h118-names-of-chains-are-html {select_autoescape(default=True) => False}
    #   test_h118_hostile_names_are_text
    made = Environment(
        loader=PackageLoader("pyibc.indexer.report"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "amount": amount,
        "clipped": clipped,
        "count": count,
        "duration": duration,
        "label": label,
        "moment": moment,
        "second": lambda micros: moment(micros, seconds=True),
    }
    return made


def clipped(name: str | None, width: int = 34) -> Markup:
    """Render a shortened name, with up to `LONGEST` characters in its tooltip."""
    shown = short(name, width)
    if name is None or len(name) <= width:
        return Markup.escape(shown)
    return Markup('<span title="{}">{}</span>').format(short(name, LONGEST), shown)

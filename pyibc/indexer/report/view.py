"""View of the report: everything in a file, or a selection by chain and channel on the live page."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup

from pyibc.indexer.report.words import LONGEST, count
from pyibc.indexer.results.answers import Answers, Row
from pyibc.indexer.results.table_answers import TableAnswers

_CHAINS = ("chain", "src_chain", "dst_chain")
_CHANNELS = ("channel", "src_channel", "dst_channel")
_ANSWERS = {
    "channels": "channel_count",
    "denoms": "denom_count",
    "stuck": "stuck_count",
    "ack_overdue": "ack_overdue_count",
}
_TABLES = {
    "clients": "client_count",
    "ends": "end_count",
    "flows": "flow_count",
    "coins": "coin_count",
    "costs": "cost_count",
}
"""Lists of rows that are selected, and their numbers."""


class View(NamedTuple):
    """Selection of the rows in the report."""

    chain: str = ""  # "": all
    channel: str = ""  # "": all
    refresh_s: int = 0  # interval of reloads in seconds; 0: the report is a file
    status: str = ""  # of the live index

    @property
    def whole(self) -> bool:
        """True if nothing is filtered."""
        return not self.chain and not self.channel

    def shows(self, row: Row) -> bool:
        """Return whether a row is of the chain and channel. A filter leaves out rows without its column."""
        return _fits(row, _CHAINS, self.chain) and _fits(row, _CHANNELS, self.channel)

    def of(self, answers: Answers) -> Answers:
        """Return the selected rows; plots and totals over all chains are shown only without a filter."""
        if self.whole:
            return answers
        tables = answers.tables._replace(
            **self._kept(answers.tables, _TABLES), transactions=self._rows(answers.tables.transactions)
        )
        kept = self._kept(answers, _ANSWERS)
        return answers._replace(**kept, waiting=self._rows(answers.waiting), tables=tables)

    def chains(self, chains: Mapping[str, Any]) -> dict[str, Any]:
        """Return the selected chains."""
        return {name: numbers for name, numbers in chains.items() if self.chain in {"", name}}

    def link(self, number: int, **asked: str | None) -> str:
        """Render a number; on the live page with a link to the packets."""
        shown = count(number)
        if not self.refresh_s or not number or any(v is None or len(v) > LONGEST for v in asked.values()):
            return shown
        return Markup('<a href="/packets?{}">{}</a>').format(urlencode(asked), shown)

    def packets_of(self, row: Row, state: str) -> str:
        """Render a packet count of a channel, on the live page with a link to the packets."""
        ends = {name: getattr(row, name) for name in ("src_chain", "src_channel", "dst_chain")}
        return self.link(getattr(row, state), **ends, state=state)

    def _kept(self, answers: Answers | TableAnswers, names: Mapping[str, str]) -> dict[str, Any]:
        """Return the selected rows of lists, and their numbers, by the names of both."""
        rows = {name: self._rows(getattr(answers, name)) for name in names}
        return {**rows, **{count: len(rows[name]) for name, count in names.items()}}

    def _rows(self, rows: Iterable[Row]) -> list[Row]:
        return [row for row in rows if self.shows(row)]


def _fits(row: Row, names: tuple[str, ...], wanted: str) -> bool:
    return not wanted or wanted in (getattr(row, name, None) for name in names)

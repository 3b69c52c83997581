"""View of the report: everything in a file, or a selection by chain and channel on the live page."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup

from pyibc.indexer.report.words import LONGEST, count
from pyibc.indexer.results.answers import Answers, Row
from pyibc.indexer.results.table_answers import TableAnswers

_CHAINS = ("chain", "src_chain", "dst_chain")
_CHANNELS = ("channel", "src_channel", "dst_channel")


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
        """Return whether a row matches the chain and channel; missing columns are ignored."""
        return _fits(row, _CHAINS, self.chain) and _fits(row, _CHANNELS, self.channel)

    def of(self, answers: Answers) -> Answers:
        """Return the selected rows; plots and totals over all chains are shown only without a filter."""
        if self.whole:
            return answers
        names = ("channels", "denoms", "stuck", "ack_overdue", "waiting")
        channels, denoms, stuck, ack_overdue, waiting = (self._kept(answers, name) for name in names)
        return answers._replace(
            channels=channels,
            channel_count=len(channels),
            denoms=denoms,
            denom_count=len(denoms),
            stuck=stuck,
            stuck_count=len(stuck),
            ack_overdue=ack_overdue,
            ack_overdue_count=len(ack_overdue),
            waiting=waiting,
            tables=self._of_tables(answers.tables),
        )

    def _of_tables(self, tables: TableAnswers) -> TableAnswers:
        names = ("clients", "ends", "flows", "coins", "costs", "transactions")
        clients, ends, flows, coins, costs, transactions = (self._kept(tables, name) for name in names)
        return tables._replace(
            clients=clients,
            client_count=len(clients),
            ends=ends,
            end_count=len(ends),
            flows=flows,
            flow_count=len(flows),
            coins=coins,
            coin_count=len(coins),
            costs=costs,
            cost_count=len(costs),
            transactions=transactions,
        )

    def chains(self, chains: Mapping[str, Any]) -> dict[str, Any]:
        """Return the selected chains."""
        return {name: numbers for name, numbers in chains.items() if self.chain in {"", name}}

    def link(self, number: int, **asked: str | None) -> str:
        """Render a number; on the live page with a link to the packets."""
        shown = count(number)
        if not self.refresh_s or not number or any(v is None or len(v) > LONGEST for v in asked.values()):
            return shown
        return Markup('<a href="/packets?{}">{}</a>').format(urlencode(asked), shown)

    def _kept(self, answers: Answers | TableAnswers, name: str) -> list[Row]:
        return [row for row in getattr(answers, name) if self.shows(row)]


def _fits(row: Row, names: tuple[str, ...], wanted: str) -> bool:
    held = [getattr(row, name) for name in names if hasattr(row, name)]
    return not wanted or not held or wanted in held

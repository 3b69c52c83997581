"""Which part of the answers a page shows: a file shows all of it, a served page what its reader asked for."""

from collections.abc import Mapping
from html import escape
from typing import Any, NamedTuple
from urllib.parse import urlencode

from ibc_indexer.answers import Answers, Row
from ibc_indexer.table_answers import TableAnswers
from ibc_indexer.words import LONGEST, count

_CHAINS = ("chain", "src_chain", "dst_chain")
_CHANNELS = ("channel", "src_channel", "dst_channel")


class View(NamedTuple):
    """What is shown of the answers."""

    chain: str = ""  # "": every
    channel: str = ""
    refresh_s: int = 0  # how often the page is loaded again; 0: it is a file
    status: str = ""  # of the program that serves it

    @property
    def whole(self) -> bool:
        """Whether everything is shown."""
        return not self.chain and not self.channel

    def shows(self, row: Row) -> bool:
        """Whether a row is of the chain and channel asked for; columns that it has not say nothing."""
        return _fits(row, _CHAINS, self.chain) and _fits(row, _CHANNELS, self.channel)

    def of(self, answers: Answers) -> Answers:
        """The rows to show; pictures and sums over all chains are shown of the whole only."""
        if self.whole:
            return answers
        channels, denoms, stuck = (self._kept(answers, name) for name in ("channels", "denoms", "stuck"))
        return answers._replace(
            channels=channels,
            channel_count=len(channels),
            denoms=denoms,
            denom_count=len(denoms),
            stuck=stuck,
            stuck_count=len(stuck),
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
        """The chains to show."""
        return {name: numbers for name, numbers in chains.items() if self.chain in {"", name}}

    def link(self, number: int, **asked: str | None) -> str:
        """A number, in HTML; on a served page it leads to the packets behind it."""
        shown = count(number)
        if not self.refresh_s or not number or any(v is None or len(v) > LONGEST for v in asked.values()):
            return shown
        return f'<a href="/packets?{escape(urlencode(asked))}">{shown}</a>'

    def _kept(self, answers: Answers | TableAnswers, name: str) -> list[Row]:
        return [row for row in getattr(answers, name) if self.shows(row)]


def _fits(row: Row, names: tuple[str, ...], wanted: str) -> bool:
    held = [getattr(row, name) for name in names if hasattr(row, name)]
    return not wanted or not held or wanted in held

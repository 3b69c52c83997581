"""Stuck packets and overdue acknowledgements, grouped by channel."""

from decimal import Decimal
from typing import NamedTuple

from pyibc.indexer.answers import Answers, Row

_SHOWN = 3  # denoms of a channel


class Coin(NamedTuple):
    """Amount of a denom."""

    denom: str
    amount: Decimal | None  # None: more than 38 digits


class Group(NamedTuple):
    """Packets of a channel that wait."""

    row: Row  # the channel
    number: int
    since: int | None  # of the oldest, in unix microseconds
    value: list[Coin]
    more: int  # denoms that are not in `value`
    relayer: str  # who relayed last on the channel; "": not known
    relayed: int | None  # when, in unix microseconds; None: never


def waiting_groups(answers: Answers, flag: str) -> list[Group]:
    """Group the packets with `flag`, `stuck` or `ack_overdue`, by channel: the largest groups first."""
    value = dict[tuple[object, ...], list[Coin]]()
    for row in answers.waiting_value:
        if getattr(row, flag):
            value.setdefault(_channel(row), []).append(Coin(row.denom, getattr(row, f"{flag}_amount")))
    rows = [row for row in answers.waiting if getattr(row, flag)]
    return [
        _group(row, flag, value.get(_channel(row), []))
        for row in sorted(rows, key=lambda row: -getattr(row, flag))
    ]


def _group(row: Row, flag: str, value: list[Coin]) -> Group:
    moment, _, relayer = (row.last_relayed or "").partition(" ")
    return Group(
        row,
        getattr(row, flag),
        getattr(row, f"{flag}_since"),
        value[:_SHOWN],
        max(0, len(value) - _SHOWN),
        relayer,
        int(moment) if moment else None,
    )


def _channel(row: Row) -> tuple[object, ...]:
    return (
        row.src_chain,
        row.dst_chain,
        row.protocol,
        row.src_port,
        row.src_channel,
        row.dst_port,
        row.dst_channel,
    )

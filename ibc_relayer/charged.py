"""What a transaction in a block cost its payer, by the chain's own events.

The SDK's ante handler tells the fee in an event `tx`. Skip's fee market takes all that was offered before the
messages and tells of it afterwards, as fee and tip, if they succeed. Some chains (ibc-go's simapp) take none.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ibc_core.coin import Coin, coin
from ibc_core.host.block import TxOutcome

_SEQUENCE = re.compile(r"([a-z0-9]{1,128})/(\d{1,20})", re.ASCII)
_COIN = re.compile(r"(\d{1,78})([a-zA-Z][a-zA-Z0-9/:._-]{2,127})", re.ASCII)


class Charge(NamedTuple):
    """What was taken, and from whom."""

    coins: tuple[Coin, ...]
    payer: str  # bech32


def passed_ante(outcome: TxOutcome) -> bool:
    """Whether fee and sequence were taken: a transaction that fails before leaves no events."""
    return outcome.code == 0 or any(kind == "tx" for kind, _ in outcome.events)


def sequences_of(outcome: TxOutcome) -> set[tuple[str, int]]:
    """The accounts whose sequences a transaction used, with these; empty where its chain tells of none."""
    found = (_SEQUENCE.fullmatch(each["acc_seq"]) for each in _events(outcome, "tx", "acc_seq"))
    return {(each[1], int(each[2])) for each in found if each}


def charge_of(outcome: TxOutcome, account: str, offered: str) -> Charge:
    """The fee of a transaction that passed the ante handler.

    The ante handler's events come first and the post handler's last: no message can forge them. Of a
    transaction that failed there are the ante handler's alone.

    Args:
        outcome: Its result in the block.
        account: Who signed it; pays where no other is named.
        offered: The coins it offered, as text.
    """
    if not any(kind == "tx" for kind, _ in outcome.events):
        return Charge(read_coins(offered), account)  # a chain that tells nothing of its ante handler
    # guard: h154-the-last-fee-that-is-told {_events(outcome, 'tx', 'fee') => iter([*_events(outcome, 'tx',
    #   'fee')][::-1])} test_h154_a_message_cannot_forge_the_fee
    told = next(_events(outcome, "tx", "fee"), None)
    if told is not None:
        return Charge(read_coins(told["fee"]), told.get("fee_payer") or account)
    paid, tips = list(_events(outcome, "fee_pay", "fee")), list(_events(outcome, "tip_pay", "tip"))
    if paid or tips:
        texts = [each[-1][name] for each, name in ((paid, "fee"), (tips, "tip")) if each]
        payer = paid[-1].get("fee_payer") if paid else tips[-1].get("tip_payer")
        return Charge(_sum(texts), payer or account)
    if outcome.code:
        spent = list(_events(outcome, "coin_spent", "amount"))
        payer = spent[0].get("spender") if spent else account
        return Charge(_sum([each["amount"] for each in spent]), payer or account)
    return Charge((), account)


def read_coins(text: str) -> tuple[Coin, ...]:
    """Coins as events have them, `5atom,1800stake`; anything else is left out."""
    found = (_COIN.fullmatch(part) for part in text.split(","))
    return tuple(coin(each[2], int(each[1])) for each in found if each)


def _sum(texts: list[str]) -> tuple[Coin, ...]:
    total: Counter[str] = Counter()
    for text in texts:
        total.update({each.denom: each.amount for each in read_coins(text)})
    return tuple(coin(denom, amount) for denom, amount in sorted(total.items()))


def _events(outcome: TxOutcome, kind: str, name: str) -> Iterator[dict[str, str]]:
    """The events of a kind that have an attribute."""
    for each, attributes in outcome.events:
        if each == kind and any(key == name for key, _ in attributes):
            yield dict(attributes)

"""Events of transactions, accounts and the bank, with the Cosmos SDK's names and attribute order."""

from ibc_core.host.events import Event


def coin_spent(spender: str, amount: str) -> Event:
    """Coins debited from an account."""
    return "coin_spent", (("spender", spender), ("amount", amount))


def coin_received(receiver: str, amount: str) -> Event:
    """Coins credited to an account."""
    return "coin_received", (("receiver", receiver), ("amount", amount))


def transfer(recipient: str, sender: str, amount: str) -> Event:
    """A transfer between two accounts."""
    return "transfer", (("recipient", recipient), ("sender", sender), ("amount", amount))


def message_sender(sender: str) -> Event:
    """The sender of a bank message."""
    return "message", (("sender", sender),)


def coinbase(minter: str, amount: str) -> Event:
    """Coins minted."""
    return "coinbase", (("minter", minter), ("amount", amount))


def burn(burner: str, amount: str) -> Event:
    """Coins burned."""
    return "burn", (("burner", burner), ("amount", amount))


def tx_fee(fee: str, payer: str) -> Event:
    """The fee of a transaction."""
    return "tx", (("fee", fee), ("fee_payer", payer))


def tx_sequence(address: str, sequence: int) -> Event:
    """The account sequence a signer used."""
    return "tx", (("acc_seq", f"{address}/{sequence}"),)


def tx_signature(signature_base64: str) -> Event:
    """A verified signature."""
    return "tx", (("signature", signature_base64),)


def message_action(type_url: str, sender: str) -> Event:
    """The type of a message and its first signer."""
    return "message", (("action", type_url), ("sender", sender))


def message_events(type_url: str, sender: str, own: tuple[Event, ...], index: int | None) -> list[Event]:
    """All events of one message, the `action` event first.

    As in the SDK, the `action` event names the module (second part of the type URL) unless an event of the
    message has the attribute `module`. If `index` is given, it is appended to every event as `msg_index`.
    """
    kind, attributes = message_action(type_url, sender)
    if not _names_module(own):
        attributes = (*attributes, ("module", type_url.split(".")[1]))
    if index is None:
        return [(kind, attributes), *own]
    tail = (("msg_index", str(index)),)
    return [(kind, attributes + tail), *[(name, pairs + tail) for name, pairs in own]]


def _names_module(events: tuple[Event, ...]) -> bool:
    for name, pairs in events:
        # Usually a `message` event has it, and those are short: checking them first is faster.
        if name == "message" and any([key == "module" for key, _ in pairs]):  # noqa: C419 - faster
            return True
    return any([key == "module" for _, pairs in events for key, _ in pairs])  # noqa: C419 - faster

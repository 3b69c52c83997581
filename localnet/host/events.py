"""Events of transactions, accounts and coins, with the Cosmos SDK's names and attribute order."""

from ibc_core.host.events import Event


def coin_spent(spender: str, amount: str) -> Event:
    """Coins leave an account."""
    return "coin_spent", (("spender", spender), ("amount", amount))


def coin_received(receiver: str, amount: str) -> Event:
    """Coins reach an account."""
    return "coin_received", (("receiver", receiver), ("amount", amount))


def transfer(recipient: str, sender: str, amount: str) -> Event:
    """Coins move between two accounts."""
    return "transfer", (("recipient", recipient), ("sender", sender), ("amount", amount))


def transfer_to(recipient: str, amount: str) -> Event:
    """Coins of a multi-send reach one of its accounts."""
    return "transfer", (("recipient", recipient), ("amount", amount))


def message_sender(sender: str) -> Event:
    """Who moved coins."""
    return "message", (("sender", sender),)


def coinbase(minter: str, amount: str) -> Event:
    """Coins are made."""
    return "coinbase", (("minter", minter), ("amount", amount))


def burn(burner: str, amount: str) -> Event:
    """Coins are destroyed."""
    return "burn", (("burner", burner), ("amount", amount))


def tx_fee(fee: str, payer: str) -> Event:
    """A transaction paid its fee."""
    return "tx", (("fee", fee), ("fee_payer", payer))


def tx_sequence(address: str, sequence: int) -> Event:
    """A signer's sequence was used."""
    return "tx", (("acc_seq", f"{address}/{sequence}"),)


def tx_signature(signature_base64: str) -> Event:
    """A signature was accepted."""
    return "tx", (("signature", signature_base64),)


def message_action(type_url: str, sender: str) -> Event:
    """A message begins."""
    return "message", (("action", type_url), ("sender", sender))


def message_events(type_url: str, sender: str, own: tuple[Event, ...], index: int | None) -> list[Event]:
    """All events of one message, its action first.

    The SDK names the module (second part of the type URL) where no event of the message has a
    `module` attribute. `index`, where given, ends every attribute list as `msg_index`.
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
        # Only `message` events have it, a short one each: looking there first spares most of the work.
        if name == "message" and any([key == "module" for key, _ in pairs]):  # noqa: C419 - faster
            return True
    return any([key == "module" for _, pairs in events for key, _ in pairs])  # noqa: C419 - faster

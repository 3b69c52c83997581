"""Checks of an item's key shared by receive and handle_receipt [IBC-packets 3.2]: remote id, role, index."""

from ibc_core.errors import IbcError
from ibc_core.errors.queue import (
    MustBeRecipient,
    MustBeSend,
    SentToDifferentChain,
    UnregisteredSender,
    WrongDestination,
    WrongSender,
)
from ibc_core.host.context import ReadContext
from ibc_core.queue.packet import Registration
from ibc_core.queue.types import End, QueueKey, Role, parse_key
from keepers.queue.keepers import QueueKeepers


def registered(keepers: QueueKeepers, ctx: ReadContext, sender: End) -> Registration:
    """The registration of the remote end.

    Raises:
        UnregisteredSender: it is not.
    """
    found = keepers.registrations.get(ctx, sender)
    if found is None:
        raise UnregisteredSender(sender.text)
    return found


def check_key(key: bytes, role: Role, registration: Registration) -> QueueKey:
    """Decodes `key`, which must be of the remote end's queue of `role` for our end.

    Raises:
        MustBeSend, MustBeRecipient: it is of a queue of the other role, or of none.
        SentToDifferentChain: it is for another chain (our end is a chain).
        WrongDestination: it is for another end (our end is a channel).
        WrongSender: it belongs to another end than our counterparty.
    """
    found = parse_key(key)
    if found is None or found.name.role is not role:
        raise _wrong_role(role, f"{key[:200]!a}")
    local, remote = registration.local, registration.remote
    if found.name.remote != local:
        raise _elsewhere(local, found.name.remote)
    owner = End(remote.chain, found.name.connection, found.name.channel)
    if owner != remote:
        raise WrongSender(remote.text, owner.text)
    return found


def _wrong_role(asked: Role, key: str) -> IbcError:
    return MustBeSend(key) if asked is Role.SEND else MustBeRecipient(key)


def _elsewhere(ours: End, got: End) -> IbcError:
    if ours.is_channel:
        return WrongDestination(ours.text, got.text)
    return SentToDifferentChain(ours.text, got.text)

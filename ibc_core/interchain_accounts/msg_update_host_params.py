"""MsgUpdateParams of the host (ICS-27), and what its allow list may be."""

from collections.abc import Sequence
from typing import Annotated

from ibc_core.checking import HasAddresses
from ibc_core.errors import InvalidAllowList
from ibc_core.identifiers import is_blank
from ibc_core.value import value
from ibc_core.wire.columns import Signer, Wire
from ibc_core.wire.message import Msg, message
from ibc_proto.ibc.applications.interchain_accounts.host.v1 import tx_pb2

ALLOW_ALL = "*"
"""Alone in the allow list: every message."""
MAX_ALLOW_LIST = 500
"""Entries of the allow list."""


def check_allow_list(allowed: Sequence[str]) -> None:
    """Checks the type URLs that interchain accounts may execute.

    Raises:
        InvalidAllowList: more than 500, a blank one, or one beside the one that stands for all.
    """
    # guard: h163-an-allow-list-of-any-length test_what_the_stateless_checks_refuse
    if len(allowed) > MAX_ALLOW_LIST:
        raise InvalidAllowList(f"{len(allowed)} entries exceed {MAX_ALLOW_LIST}")
    if ALLOW_ALL in allowed and len(allowed) > 1:
        raise InvalidAllowList(f"{ALLOW_ALL} stands for all and must stand alone")
    if any(map(is_blank, allowed)):
        raise InvalidAllowList("blank entry")


@message(tx_pb2.MsgUpdateParams)
@value
class MsgUpdateHostParams(Msg):
    """The authority switches the host on and off, and says which messages accounts may execute."""

    host_enabled: Annotated[bool, Wire("params.host_enabled")]
    allow_messages: Annotated[tuple[str, ...], Wire("params.allow_messages")]
    signer: Signer

    def check(self, chain: HasAddresses) -> None:
        """Stateless checks.

        Raises:
            InvalidAddress, InvalidAllowList.
        """
        chain.addresses.decode(self.signer, "signer")
        check_allow_list(self.allow_messages)

"""Every message of this distribution, by type URL, as the protocols' dispatch tables have them."""

from collections.abc import Iterable

from handlers.direct.dispatch import HANDLERS_DIRECT
from handlers.dispatch import HANDLERS
from handlers.queue.dispatch import HANDLERS as QUEUE_HANDLERS
from ibc_core.gmp.msg_send_call import MsgSendCall
from ibc_core.interchain_accounts.msg_module_query_safe import MsgModuleQuerySafe
from ibc_core.interchain_accounts.msg_register import MsgRegisterInterchainAccount
from ibc_core.interchain_accounts.msg_send_tx import MsgSendTx
from ibc_core.interchain_accounts.msg_update_controller_params import MsgUpdateControllerParams
from ibc_core.interchain_accounts.msg_update_host_params import MsgUpdateHostParams
from ibc_core.rate_limit.msg_add_rate_limit import MsgAddRateLimit
from ibc_core.rate_limit.msg_remove_rate_limit import MsgRemoveRateLimit
from ibc_core.rate_limit.msg_reset_rate_limit import MsgResetRateLimit
from ibc_core.rate_limit.msg_update_rate_limit import MsgUpdateRateLimit
from ibc_core.transfer.msg_transfer import MsgTransfer
from ibc_core.transfer.msg_update_params import MsgUpdateTransferParams
from ibc_core.wire.message import Msg


def _by_url(classes: Iterable[type[Msg]]) -> dict[str, type[Msg]]:
    return {cls.TYPE_URL: cls for cls in classes}


HANDLED = _by_url(HANDLERS)
"""Messages of clients, connections, channels, packets and IBC v2."""
NAMED = _by_url(HANDLERS_DIRECT)
"""Messages of ICS-4's first text."""
QUEUE = _by_url(QUEUE_HANDLERS)
"""Messages of the queue protocol."""
TRANSFER = _by_url((MsgTransfer, MsgUpdateTransferParams))
ACCOUNTS = _by_url(
    (
        MsgRegisterInterchainAccount,
        MsgSendTx,
        MsgUpdateControllerParams,
        MsgUpdateHostParams,
        MsgModuleQuerySafe,
        MsgSendCall,
    )
)
"""Messages of interchain accounts and GMP."""
RATE_LIMIT = _by_url((MsgAddRateLimit, MsgUpdateRateLimit, MsgRemoveRateLimit, MsgResetRateLimit))

MESSAGES = {**HANDLED, **NAMED, **QUEUE, **TRANSFER, **ACCOUNTS, **RATE_LIMIT}

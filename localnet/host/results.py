"""What comes of a transaction: the one place where an error of the tree becomes a code."""

from ibc_module.core.block import TxOutcome
from ibc_module.core.events import Event
from ibc_module.core.gas import GasMeter
from ibc_module.errors import IbcError


def refused(
    raw: bytes, error: IbcError, gas_wanted: int, meter: GasMeter, events: tuple[Event, ...] = ()
) -> TxOutcome:
    """The outcome of a transaction that `error` ended; `events` are the ante's, where it had passed."""
    return TxOutcome(raw, error.code, error.codespace, events, gas_wanted, meter.used, log=str(error))

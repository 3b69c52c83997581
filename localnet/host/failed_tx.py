"""Outcomes of failed transactions: the only place where an error becomes a code."""

from ibc_core.errors import IbcError
from ibc_core.host.block import TxOutcome
from ibc_core.host.events import Event
from ibc_core.host.gas import GasMeter


def failed_tx(
    raw: bytes, error: IbcError, gas_wanted: int, meter: GasMeter, events: tuple[Event, ...] = ()
) -> TxOutcome:
    """The outcome of a transaction that failed with `error`.

    `events` are the ante handler's, if it passed.
    """
    return TxOutcome(raw, error.code, error.codespace, events, gas_wanted, meter.reported, log=str(error))

"""The client types between two chains of which attestors may be known."""

from ibc_core.client.types import TENDERMINT
from ibc_relayer.attestations.driver import AttestationsDriver
from ibc_relayer.attestations.quorum import Quorum
from ibc_relayer.driver import Drivers
from ibc_relayer.tendermint import DRIVERS, TENDERMINT_DRIVER


def drivers_between(of_a: Quorum | None, of_b: Quorum | None) -> Drivers:
    """A chain with attestors is followed by their word, one without by its headers.

    Raises:
        ValueError: too few or too many must sign, or both chains have the same attestors.
    """
    known = [each for each in (of_a, of_b) if each is not None]
    if not known:
        return DRIVERS
    attested = AttestationsDriver(*known)
    on_a, on_b = (TENDERMINT if each is None else attested.client_type for each in (of_b, of_a))
    return Drivers(TENDERMINT_DRIVER, attested, new=(on_a, on_b))

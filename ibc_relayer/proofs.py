"""The proofs of a round: of one chain's state after one block, fetched at once where the chain allows it."""

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from ibc_relayer.endpoint import ChainEndpoint, Proven
from ibc_relayer.errors import EndpointUnavailable, RelayerError

SILENCE = 3
"""Entries in a row that a chain does not answer for, after which it is asked for no more of them."""


class Silence:
    """How many entries in a row were not answered; shared by those who ask at once."""

    def __init__(self) -> None:
        """None."""
        self.length = 0


@runtime_checkable
class ProvesMany(Protocol):
    """An endpoint that can have several questions under way at once."""

    def prove_many(self, keys: Sequence[bytes], height: int) -> list[Proven | RelayerError]:
        """`ChainEndpoint.prove` of each key, in their order; the error where it fails."""


@runtime_checkable
class ProvesAhead(Protocol):
    """An endpoint that can be told beforehand what it will be asked to prove."""

    def prove_ahead(self, keys: Sequence[bytes], height: int) -> None:
        """Fetches what `prove_many` will be asked for; it only saves time.

        Raises:
            RelayerError: the chain does not give it; nobody need know.
        """


class Proofs:
    """Entries of a chain's IBC store after one block, with their proofs."""

    def __init__(self, chain: ChainEndpoint | ProvesMany, height: int, keys: Iterable[bytes]) -> None:
        """Fetches the entries at `keys` after block `height`; one that fails keeps no other back."""
        wanted = list(dict.fromkeys(keys))
        if isinstance(chain, ProvesMany):
            answers = chain.prove_many(wanted, height)
        else:  # what happens is the same each time
            answers = prove_in_turn(chain, wanted, height)
        self._found = dict(zip(wanted, answers, strict=True))

    def prove(self, key: bytes) -> Proven:
        """The entry at a key.

        Raises:
            EndpointRefused, EndpointUnavailable, MalformedAnswer: the chain did not prove it.
        """
        found = self._found[key]
        if isinstance(found, RelayerError):
            raise found
        return found


def prove_in_turn(
    chain: ChainEndpoint, keys: Sequence[bytes], height: int, silence: Silence | None = None
) -> list[Proven | RelayerError]:
    """`prove` of each key, one after the other; the error where it fails."""
    silence = silence or Silence()
    found = list[Proven | RelayerError]()
    for key in keys:
        if silence.length >= SILENCE:
            found.append(EndpointUnavailable(chain.chain_id, "not asked: it does not answer"))
            continue
        try:
            found.append(chain.prove(key, height))
            silence.length = 0
        except RelayerError as error:
            found.append(error)
            silence.length = silence.length + 1 if isinstance(error, EndpointUnavailable) else 0
    return found

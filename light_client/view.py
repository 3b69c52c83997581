"""A block under way as a light client is shown it: another `ibc` store over the same block."""

from ibc_core.height import Height
from ibc_core.host.context import ReadContext
from ibc_core.host.gas import GasMeter


class ContextView:
    """What is the same in every view of a block; the views add the stores."""

    __slots__ = ("_base",)

    def __init__(self, base: ReadContext) -> None:
        self._base = base

    @property
    def chain_id(self) -> str:
        """The host chain's id."""
        return self._base.chain_id

    @property
    def height(self) -> Height:
        """The block's height."""
        return self._base.height

    @property
    def time_ns(self) -> int:
        """Time of the block under way, unix nanoseconds."""
        return self._base.time_ns

    @property
    def next_validators_hash(self) -> bytes:
        """Hash of the next block's validators."""
        return self._base.next_validators_hash

    @property
    def app_hash(self) -> bytes:
        """Hash of the state that the block builds on."""
        return self._base.app_hash

    @property
    def gas(self) -> GasMeter:
        """The transaction's meter."""
        return self._base.gas

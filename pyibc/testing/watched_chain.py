"""A chain that raises what its applications raised, instead of only answering with an error code."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from localnet.chain import LocalChain
from localnet.consensus.sign_state import ValidatorKey
from pyibc.chain.queries.store_query import QueryAnswer
from pyibc.core.errors import IbcError
from pyibc.core.host.block import CommittedBlock, TxOutcome
from pyibc.isolation.boundary import observed_faults

_T = TypeVar("_T")
_ASK = "A chain answers this with undefined/111222; `with faults_answered(party):` asks for that answer."


class WatchedChain(LocalChain):
    """A chain under test. An exception in an application is raised by the call that ran the application.

    The block that ran it is committed first, so that the chain goes on as it would anywhere else.
    """

    answers_faults = False
    """True while an exception of an application is answered with an error code alone."""

    def make_block(
        self,
        txs: Sequence[bytes] | None = None,
        time_ns: int | None = None,
        updates: Mapping[ValidatorKey, int] | None = None,
    ) -> CommittedBlock:
        """Make the next block, as `LocalChain.make_block`; raise the first exception of an application."""
        return self._watched(lambda: super(WatchedChain, self).make_block(txs, time_ns, updates))

    def submit(self, raw: bytes) -> TxOutcome:
        """Add a transaction to the mempool; raise an exception of an application."""
        return self._watched(lambda: super(WatchedChain, self).submit(raw))

    def grpc(self, path: str, request: bytes) -> bytes:
        """Run a gRPC query; raise IbcError, or an exception of an application."""
        return self._watched(lambda: super(WatchedChain, self).grpc(path, request))

    def query(self, path: str, data: bytes, height: int = 0, prove: bool = False) -> QueryAnswer:
        """Run an ABCI Query; raise an exception of an application."""
        return self._watched(lambda: super(WatchedChain, self).query(path, data, height, prove))

    def _watched(self, call: Callable[[], _T]) -> _T:
        with observed_faults() as faults:
            try:
                answer = call()
            except IbcError:
                if not faults or self.answers_faults:
                    raise
            else:
                if not faults or self.answers_faults:
                    return answer
        raise _noted(faults[0])  # outside of the handler: it keeps its own cause and context


def _noted(error: BaseException) -> BaseException:
    if _ASK not in getattr(error, "__notes__", ()):
        error.add_note(_ASK)
    return error

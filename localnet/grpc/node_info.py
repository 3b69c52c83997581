"""The consensus node's DefaultNodeInfo, cached because it does not change while the node runs.

ABCI Query needs it as well, where waiting for CometBFT could deadlock.
"""

from threading import Lock, Thread

from localnet.grpc.view import NodeView
from pyibc.core.errors import IbcError
from pyibc.proto.tendermint.p2p.types_pb2 import DefaultNodeInfo


class NodeInfoMemo:
    """Cache of one node's DefaultNodeInfo."""

    def __init__(self, view: NodeView) -> None:
        self._view = view
        self._lock = Lock()
        self._known: DefaultNodeInfo | None = None
        self._asking = False

    def ask(self) -> DefaultNodeInfo:
        """Return the node's info; query the node if it is not cached yet.

        Raises:
            EndpointUnavailable, EndpointRefused, MalformedAnswer: the query failed.
        """
        if self._known is None:
            self._known = self._view.node_info()
        return self._known

    def known(self) -> DefaultNodeInfo | None:
        """Return the cached info. If there is none, start a query in the background and return None."""
        with self._lock:
            if self._known is None and not self._asking:
                self._asking = True
                Thread(target=self._ask_aside, name="grpc node info", daemon=True).start()
        return self._known

    def _ask_aside(self) -> None:
        try:
            self.ask()
        except IbcError:
            return  # the next call tries again
        finally:
            self._asking = False

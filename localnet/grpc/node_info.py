"""What consensus says of its node, remembered: it does not change while the node runs.

ABCI Query asks for it too, and there nobody may wait for CometBFT: it may be waiting for the application.
"""

from threading import Lock, Thread

from ibc_core.errors import IbcError
from ibc_proto.tendermint.p2p.types_pb2 import DefaultNodeInfo
from localnet.grpc.view import NodeView


class NodeInfoMemo:
    """One node's DefaultNodeInfo."""

    def __init__(self, view: NodeView) -> None:
        self._view = view
        self._lock = Lock()
        self._known: DefaultNodeInfo | None = None
        self._asking = False

    def ask(self) -> DefaultNodeInfo:
        """Asks the node if it has not answered yet.

        Raises:
            EndpointUnavailable, EndpointRefused, MalformedAnswer: it does not answer.
        """
        if self._known is None:
            self._known = self._view.node_info()
        return self._known

    def known(self) -> DefaultNodeInfo | None:
        """What is known; where nothing is, None, and the node is asked in a thread of its own."""
        with self._lock:
            if self._known is None and not self._asking:
                self._asking = True
                Thread(target=self._ask_aside, name="grpc node info", daemon=True).start()
        return self._known

    def _ask_aside(self) -> None:
        try:
            self.ask()
        except IbcError:
            return  # whoever asks next starts again
        finally:
            self._asking = False

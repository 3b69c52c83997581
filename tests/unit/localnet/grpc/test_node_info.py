"""GetNodeInfo through ABCI Query waits for nobody: consensus may be waiting for the application."""

import threading
import time

import pytest

from pyibc.chain.queries.node_queries import GET_NODE_INFO
from pyibc.proto.cosmos.base.tendermint.v1beta1 import query_pb2 as pb
from pyibc.proto.tendermint.p2p.types_pb2 import DefaultNodeInfo
from pyibc.relayer.errors import EndpointUnavailable
from tests.waiting import until


class SlowView:
    """A node that tells of itself when it is let, or fails."""

    def __init__(self):
        self.may_answer, self.fails, self.asked = threading.Event(), False, 0

    def node_info(self):
        self.asked += 1
        self.may_answer.wait(10)
        if self.fails:
            raise EndpointUnavailable("node", "down")
        return DefaultNodeInfo(network="told", moniker="told")


@pytest.fixture
def view(chain):
    from localnet.grpc.view import LocalView

    slow = SlowView()
    for name in ("latest", "earliest", "syncing", "block", "validators", "tx", "search", "broadcast"):
        setattr(slow, name, getattr(LocalView(chain), name))
    return slow


@pytest.fixture
def served(chain, view, connect):
    from localnet.grpc.calls import GrpcLimits
    from localnet.grpc.server import serve_grpc

    server = serve_grpc(view, chain.app, 0, GrpcLimits(stop_s=0.2))
    yield connect(server)
    view.may_answer.set()
    server.stop()


def by_abci(chain):
    return pb.GetNodeInfoResponse.FromString(chain.app.query(GET_NODE_INFO, b"").value)


def test_abci_query_answers_while_the_node_does_not(chain, view, served):
    start = time.monotonic()
    for _ in range(20):
        said = by_abci(chain)
        info = said.default_node_info
        assert (info.network, info.version, info.moniker) == ("chain-1", "0.38.17", "")
        assert said.application_version.name == "pyibc"
    assert time.monotonic() - start < 2
    assert view.asked == 1
    view.may_answer.set()
    until(lambda: by_abci(chain).default_node_info.moniker == "told")
    assert view.asked == 1


def test_a_node_that_was_down_is_asked_again(chain, view, served, code):
    view.fails = True
    view.may_answer.set()
    assert served.refused(GET_NODE_INFO)[0] is code.UNAVAILABLE
    assert by_abci(chain).default_node_info.network == "chain-1"
    view.fails = False
    until(lambda: by_abci(chain).default_node_info.moniker == "told")
    assert served(GET_NODE_INFO, pb.GetNodeInfoRequest(), pb.GetNodeInfoResponse) == by_abci(chain)

"""Two in-process chains that commands reach by URL, through the JSON-RPC of a localnet's node."""

import json
from contextlib import closing

import pytest
from click.testing import CliRunner

from localnet.rpc.methods import Methods, Params, RpcError
from pyibc.cli import one_chain
from pyibc.cli.query import command
from pyibc.relayer.errors import EndpointRefused
from pyibc.relayer.rpc.calls import Rpc
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from pyibc.testing.pair import two_chains

A, B = "http://a", "http://b"


class NodeRpc(Rpc):
    """JSON-RPC of an in-process chain's node, without HTTP."""

    def __init__(self, chain) -> None:
        self.methods = Methods(chain, "tcp://127.0.0.1:0")
        self.spoil = lambda _method, answer: answer

    def call(self, method, **params):
        try:
            answer = self.methods.call(method, Params(params, uri=False))
        except RpcError as error:
            answer = EndpointRefused("node", method, str(error))
        answer = self.spoil(method, answer)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def net(monkeypatch):
    """Two chains whose nodes answer at the URLs `A` and `B`."""
    with closing(two_chains()) as made:
        made.nodes = {A: NodeRpc(made.a.chain), B: NodeRpc(made.b.chain)}

        def connect(url, wallet, gas, config):
            return RpcEndpoint(made.nodes[url], wallet, gas=gas, config=config)

        monkeypatch.setattr(one_chain.RpcEndpoint, "connect", connect)
        yield made


def run(*arguments):
    return CliRunner().invoke(command, arguments)


def shown(*arguments, code=0):
    done = run(*arguments, "--json")
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)

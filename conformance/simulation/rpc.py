"""A chain's RPC for the production RPC client: JSON responses that may be corrupted in transit."""

import json
from http.client import HTTPException
from typing import Any

from conformance.simulation.damage import Damage
from conformance.simulation.network import CallFaults, gas_of, reached
from conformance.simulation.nodes import Node
from localnet.rpc.methods import Methods, internal
from localnet.rpc.server import CallRunner, failure
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.errors import EndpointUnavailable
from pyibc.relayer.money.ledger import Ledger
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.rpc.client import HttpRpc, RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from pyibc.relayer.rpc.http_connect import Deadline
from pyibc.relayer.rpc.http_pool import HttpAnswer

Json = dict[str, Any]
URL = "http://127.0.0.1:26657"
"""URL of every node; no connection is opened to it."""
CONFIG = RpcConfig(attempts=2, inclusion_s=1.5, clock=lambda: 0.0, parallel=1)
_NEWEST = {"abci_info": ("response", "last_block_height"), "status": ("sync_info", "latest_block_height")}
"""Method -> path of the last block's height in its response."""


class RpcConnection:
    """A node as reached by a relayer over RPC."""

    def __init__(self, node: Node, wallet: Wallet, call_faults: CallFaults) -> None:
        self._node = node
        self._wallet = wallet
        self._call_faults = call_faults

    def begin(self, ledger: Ledger) -> ChainEndpoint:
        """Begin a new process of the relayer.

        Raises EndpointUnavailable, EndpointRefused, MalformedAnswer.
        """
        wire = Wire(self._node, self._call_faults)
        config = CONFIG._replace(sleep=wire.waits)
        rpc = HttpRpc(URL, config, wire)
        return RpcEndpoint(rpc, self._wallet, gas=gas_of(self._node), config=config, ledger=ledger)


class Wire:
    """Transport of requests to a node (`pyibc.relayer.rpc.client.HttpTransport`)."""

    def __init__(self, node: Node, call_faults: CallFaults) -> None:
        self._node = node
        self._call_faults = call_faults
        self._left: HttpAnswer | None = None
        """An unread response, which is read as the next call's."""

    def post(self, body: bytes, deadline: Deadline, *, fresh: bool) -> HttpAnswer:  # noqa: ARG002 - of the protocol
        """Return the response to one POST.

        Raises:
            Crashed: the relayer is killed.
            OSError, HTTPException: the response is incomplete.
        """
        if fresh:
            self.close()
        asked = json.loads(body)
        batch = asked if isinstance(asked, list) else [asked]
        damage = self._call_faults.damage_of(self._node.identity.chain_id)
        sent = [damage.asked(each) for each in batch]
        try:
            said = reached(
                self._node, self._call_faults, batch[0]["method"], lambda seen: self._all(sent, seen)
            )
        except EndpointUnavailable as lost:
            self.close()
            raise ConnectionResetError(lost.reason) from lost
        return self._read(damage, said if isinstance(asked, list) else said[0])

    def close(self) -> None:
        """Discard an unread response."""
        self._left = None

    def waits(self, _seconds: float) -> None:
        """Make a block in place of waiting."""
        self._node.perform(lambda chain: chain.make_block())

    def _read(self, damage: Damage, said: Json | list[Json]) -> HttpAnswer:
        """Return the response that is read next: this one, or an older unread one."""
        try:
            answer = damage.answer(said)
        except (OSError, HTTPException):
            self.close()
            raise
        first, self._left = self._left or answer, self._left and answer
        if damage.is_repeated:
            self._left = answer
        return first

    def _all(self, asked: list[Json], seen: int) -> list[Json]:
        return [self._said(each, seen) for each in asked]

    def _said(self, asked: Json, seen: int) -> Json:
        """Return the response of a node at height `seen`; an accepted transaction is in the next block."""
        said = answered_at(CallRunner(Methods(self._node.chain, URL)), asked, seen)
        if asked["method"] == "broadcast_tx_sync" and said.get("result", {"code": 1})["code"] == 0:
            self._node.chain.make_block()
        return said


def answered_at(answers: CallRunner, asked: Json, seen: int) -> Json:
    """Return the response of a node whose last block is `seen`."""
    method, params = asked["method"], asked["params"]
    height = int(params.get("height") or 0)
    if height > seen + (method == "validators"):
        reason = f"height {height} must be less than or equal to the current blockchain height {seen}"
        return failure(asked["id"], internal(reason))
    if not height and method == "abci_query":
        asked = {**asked, "params": {**params, "height": str(seen)}}
    said = answers.answer(asked)
    if method in _NEWEST and "result" in said:
        part, name = _NEWEST[method]
        said["result"][part][name] = str(seen)
    return said

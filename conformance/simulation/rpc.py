"""A chain's RPC as production's client reaches it: the answers are JSON, and may be damaged on their way."""

import json
from http.client import HTTPException
from typing import Any

from conformance.simulation.damage import Damage
from conformance.simulation.network import Weather, gas_of, reached
from conformance.simulation.nodes import Node
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import EndpointUnavailable
from ibc_relayer.http_pool import Answer, Deadline
from ibc_relayer.ledger import Ledger
from ibc_relayer.rpc_client import HttpRpc, RpcConfig
from ibc_relayer.rpc_endpoint import RpcEndpoint
from ibc_relayer.wallet import Wallet
from localnet.rpc.answers import Answers, failure
from localnet.rpc.errors import internal
from localnet.rpc.methods import Methods

Json = dict[str, Any]
URL = "http://127.0.0.1:26657"
"""Of every node: nothing is opened there."""
CONFIG = RpcConfig(attempts=2, inclusion_s=1.5, clock=lambda: 0.0, parallel=1)
_NEWEST = {"abci_info": ("response", "last_block_height"), "status": ("sync_info", "latest_block_height")}
"""By method: where its answer has the last block's height."""


class RpcReach:
    """A node as a relayer reaches it by its RPC."""

    def __init__(self, node: Node, wallet: Wallet, weather: Weather) -> None:
        self._node = node
        self._wallet = wallet
        self._weather = weather

    def begin(self, ledger: Ledger) -> ChainEndpoint:
        """Another process of the relayer; raises EndpointUnavailable, EndpointRefused, MalformedAnswer."""
        wire = Wire(self._node, self._weather)
        config = CONFIG._replace(sleep=wire.waits)
        rpc = HttpRpc(URL, config, wire)
        return RpcEndpoint(rpc, self._wallet, gas=gas_of(self._node), config=config, ledger=ledger)


class Wire:
    """Carries requests to a node, and its answers back (`ibc_relayer.rpc_client.Posts`)."""

    def __init__(self, node: Node, weather: Weather) -> None:
        self._node = node
        self._weather = weather
        self._left: Answer | None = None
        """One that nobody has read yet: it is taken for the next call's."""

    def post(self, body: bytes, deadline: Deadline, *, fresh: bool) -> Answer:  # noqa: ARG002 - of the protocol
        """The answer to one POST.

        Raises:
            Crashed: the relayer is killed.
            OSError, HTTPException: no whole answer.
        """
        if fresh:
            self.close()
        asked = json.loads(body)
        batch = asked if isinstance(asked, list) else [asked]
        damage = self._weather.damage_of(self._node.terms.chain_id)
        sent = [damage.asked(each) for each in batch]
        try:
            said = reached(self._node, self._weather, batch[0]["method"], lambda seen: self._all(sent, seen))
        except EndpointUnavailable as lost:
            self.close()
            raise ConnectionResetError(lost.reason) from lost
        return self._read(damage, said if isinstance(asked, list) else said[0])

    def close(self) -> None:
        """Of what was under way nothing is read any more."""
        self._left = None

    def waits(self, _seconds: float) -> None:
        """While somebody waits the chain makes a block."""
        self._node.does(lambda chain: chain.make_block())

    def _read(self, damage: Damage, said: Json | list[Json]) -> Answer:
        """What is read after a call: its answer, or an older one, if one is left."""
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
        """What a node at height `seen` answers; a transaction that it takes is in the next block."""
        said = answered_at(Answers(Methods(self._node.chain, URL)), asked, seen)
        if asked["method"] == "broadcast_tx_sync" and said.get("result", {"code": 1})["code"] == 0:
            self._node.chain.make_block()
        return said


def answered_at(answers: Answers, asked: Json, seen: int) -> Json:
    """What a node whose last block is `seen` answers to a call."""
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

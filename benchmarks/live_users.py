"""Users in a separate process: transfers at a steady rate, or as fast as a chain accepts them.

    python -m benchmarks.live_users URL CHANNEL PER_S IN_ONE SECONDS      PER_S 0: as fast as possible

Prints the number of packets that the chain's mempool accepted.
"""

import sys
import time
from base64 import b64encode
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlsplit

import msgspec

from benchmarks.live_world import GAS
from conformance.peers.chain import LiveChain, wallet
from pyibc.core.coin import coin
from pyibc.proto.cosmos.auth.v1beta1 import auth_pb2, query_pb2
from pyibc.relayer.money.account import ACCOUNT
from pyibc.relayer.paths.path import PathEnd
from pyibc.relayer.rpc.client import HttpRpc, RpcConfig

TICK_S = 0.1
MOST_WAITING = 500
"""Mempool size, in transactions, above which users wait, since the chain is saturated."""
AT_ONCE = 10
"""Transactions per HTTP request."""


class Users:
    """One account that stands for all users of a chain."""

    def __init__(self, chain: LiveChain, channel: str) -> None:
        """Create it; `channel` is the channel to send over."""
        self._chain = chain
        self._end = PathEnd(chain.chain_id, "", "", "transfer", channel)
        self._wallet = wallet("alice")
        self._rpc = HttpRpc(chain.url, RpcConfig())
        self._number, self._sequence = self._account()
        where = urlsplit(chain.url)
        self._http = HTTPConnection(where.hostname or "", where.port)

    def send(self, per_s: float, in_one: int, seconds: float) -> int:
        """Send for `seconds`; return the number of packets."""
        begin = time.monotonic()
        sent = 0
        while (passed := time.monotonic() - begin) < seconds:
            due = (passed + TICK_S) * per_s - sent if per_s else MOST_WAITING * in_one
            room = MOST_WAITING - int(self._rpc.call("num_unconfirmed_txs")["total"])
            sent += in_one * self._hand_in(min(room, int(due / in_one)), in_one)
            time.sleep(max(0.0, TICK_S - (time.monotonic() - begin - passed)))
        return sent

    def _hand_in(self, count: int, in_one: int) -> int:
        """Sign and submit `count` transactions of `in_one` transfers; return how many were accepted."""
        if count <= 0:
            return 0
        receiver = self._chain.address("bob")
        message = self._chain.transfer("alice", self._end, coin("stake", 1), receiver)
        taken = 0
        for first in range(0, count, AT_ONCE):
            now = min(AT_ONCE, count - first)
            raws = [self._sign([message] * in_one, self._sequence + index) for index in range(now)]
            accepted = self._broadcast(raws)
            self._sequence += accepted
            taken += accepted
            if accepted < len(raws):
                break
        return taken

    def _broadcast(self, raws: list[bytes]) -> int:
        """Return the number of transactions that the mempool accepted, before the first refused one."""
        calls = [
            {
                "jsonrpc": "2.0",
                "id": i,
                "method": "broadcast_tx_sync",
                "params": {"tx": b64encode(raw).decode()},
            }
            for i, raw in enumerate(raws)
        ]
        self._http.request("POST", "/", msgspec.json.encode(calls), {"Content-Type": "application/json"})
        answers = msgspec.json.decode(self._http.getresponse().read())
        told = answers if isinstance(answers, list) else [answers]
        refused = [each for each in told if "error" in each or each["result"]["code"]]
        return len(told) - len(refused)

    def _sign(self, messages, sequence: int) -> bytes:
        return self._wallet.sign_tx(
            messages,
            chain_id=self._chain.chain_id,
            account_number=self._number,
            sequence=sequence,
            gas_limit=GAS * len(messages),
        )

    def _account(self) -> tuple[int, int]:
        request = query_pb2.QueryAccountRequest(address=self._wallet.address.text)
        raw = self._chain.as_user("alice").grpc(ACCOUNT, request.SerializeToString())
        found = query_pb2.QueryAccountResponse.FromString(raw).account.value
        account = auth_pb2.BaseAccount.FromString(found)
        return account.account_number, account.sequence


def main(url: str, channel: str, per_s: str, in_one: str, seconds: str) -> None:
    """Send, and print the number of packets."""
    with closing(LiveChain(url)) as chain:
        sent = Users(chain, channel).send(float(per_s), int(in_one), float(seconds))
        print(f"users sent {sent} packets", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

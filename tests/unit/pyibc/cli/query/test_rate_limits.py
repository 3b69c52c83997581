"""`pyibc query ratelimit`: each command asks one query of a node, and prints the answer."""

import json
from contextlib import contextmanager

import pytest
from click.testing import CliRunner

from pyibc.apps.rate_limit.limit import Flow, Quota, RateLimit, WhitelistedAddressPair
from pyibc.cli.query import applications as query_rate_limits
from pyibc.cli.query import command
from pyibc.core.wire.table import pack
from pyibc.proto.ibc.applications.rate_limiting.v1 import query_pb2 as pb
from pyibc.relayer.chain.endpoint import NO_EXTRAS
from pyibc.relayer.errors import EndpointRefused

LIMIT = pack(RateLimit("grain", "channel-4", Quota(10, 5, 24), Flow(1, 2, 300)))
SHOWN = {
    "path": {"denom": "grain", "channel_or_client_id": "channel-4"},
    "quota": {"max_percent_send": "10", "max_percent_recv": "5", "duration_hours": "24"},
    "flow": {"inflow": "1", "outflow": "2", "channel_value": "300"},
}
PAIR = pack(WhitelistedAddressPair("alice", "bob"))


@pytest.fixture
def node(monkeypatch):
    """What a node was asked, and what it answers: bytes, or an error."""

    class Node:
        chain_id, extras = "b-1", NO_EXTRAS
        asked, answer = [], b""

        def grpc(self, path, request):
            self.asked.append((path, request))
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

    @contextmanager
    def endpoint(options):
        made.asked.append(options["node"])
        yield made

    made = Node()
    made.asked = []
    monkeypatch.setattr(query_rate_limits, "endpoint", endpoint)
    return made


def run(*arguments):
    return CliRunner().invoke(command, ["ratelimit", *arguments, "--node", "http://node:1"])


@pytest.mark.parametrize(
    ("arguments", "query", "asked", "answer", "shown"),
    [
        (["list-rate-limits"], "AllRateLimits", {}, {"rate_limits": [LIMIT]}, {"rate_limits": [SHOWN]}),
        (
            ["rate-limit", "channel-4"],
            "RateLimitsByChannelOrClientID",
            {"channel_or_client_id": "channel-4"},
            {"rate_limits": [LIMIT]},
            {"rate_limits": [SHOWN]},
        ),
        (
            ["rate-limit", "channel-4", "--denom", "grain"],
            "RateLimit",
            {"channel_or_client_id": "channel-4", "denom": "grain"},
            {"rate_limit": LIMIT},
            {"rate_limit": SHOWN},
        ),
        (
            ["rate-limits-by-chain", "b-1"],
            "RateLimitsByChainID",
            {"chain_id": "b-1"},
            {"rate_limits": []},
            {"rate_limits": []},
        ),
        (
            ["list-blacklisted-denoms"],
            "AllBlacklistedDenoms",
            {},
            {"denoms": ["bad"]},
            {"denoms": ["bad"]},
        ),
        (
            ["list-whitelisted-addresses"],
            "AllWhitelistedAddresses",
            {},
            {"address_pairs": [PAIR]},
            {"address_pairs": [{"sender": "alice", "receiver": "bob"}]},
        ),
    ],
)
def test_each_command_is_one_query(node, arguments, query, asked, answer, shown):
    node.answer = getattr(pb, f"Query{query}Response")(**answer).SerializeToString()
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == shown
    request = getattr(pb, f"Query{query}Request")(**asked).SerializeToString()
    path = f"/ibc.applications.rate_limiting.v1.Query/{query}"
    assert node.asked == ["http://node:1", (path, request)]


def test_a_chain_without_rate_limits_says_so(node):
    node.answer = EndpointRefused("b-1", "AllRateLimits", "6 unknown request")
    done = run("list-rate-limits")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "error: b-1: AllRateLimits: 6 unknown request\n"


def test_an_answer_that_is_none_is_the_node_s_fault(node):
    node.answer = b"\xff"
    done = run("list-rate-limits")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "malformed answer" in done.stderr


def test_what_is_no_url_is_wrong_use():
    done = CliRunner().invoke(command, ["ratelimit", "list-rate-limits", "--node", "nowhere"])
    assert (done.exit_code, done.stdout) == (2, "")

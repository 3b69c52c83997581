"""Counts of successes and failures by message type, over any number of transcripts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from conformance.kit.known import ACCOUNTS, HANDLED, RATE_LIMIT, TRANSFER
from pyibc.core.client.messages import MsgSubmitMisbehaviour

_OURS = {*HANDLED, *TRANSFER, *ACCOUNTS, *RATE_LIMIT}
KINDS = tuple(sorted(url for url in _OURS - {MsgSubmitMisbehaviour.TYPE_URL} if url.startswith("/ibc.")))
"""Message types of ibc-go v11: core, IBC v2, ICS-20, rate limits, interchain accounts and GMP.

Messages below `/pyibc.` are unknown to the Go replayer, so walks cannot compare them and need not make them.
"""


class Coverage:
    """Message counts; a failed transaction counts for its last message."""

    def __init__(self) -> None:
        self.passed: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()
        """`codespace/code` of failures."""
        self.corrupted = 0
        """Number of transactions with a mutated message."""
        self.blocks = 0
        self.checks = 0
        """Number of CheckTx calls."""

    def add(self, document: Mapping[str, Any]) -> None:
        """Add a transcript."""
        self.checks += len(document["check_tx"])
        for step in document["steps"]:
            self.blocks += 1
            for tx in step["txs"]:
                self.corrupted += tx["note"].startswith("corrupted")
                self._count(tx, tx["msgs"])
            for action in step["actions"]:
                name = f"(action) {action['action']}"
                told = action["args"].get("type_url")  # a message of the authority also counts as itself
                self._count(action, [{"type_url": name}])
                if told is not None:
                    self._count(action, [{"type_url": told}])

    def _count(self, outcome: Mapping[str, Any], messages: list[dict[str, str]]) -> None:
        if outcome["code"]:
            self.failed[messages[-1]["type_url"]] += 1
            self.codes[f"{outcome.get('codespace', '')}/{outcome['code']}"] += 1
        else:
            self.passed.update(each["type_url"] for each in messages)

    def lines(self) -> Iterator[str]:
        """Return a table by message type, then the error codes."""
        known = [*KINDS, *sorted(name for name in self.passed | self.failed if name.startswith("("))]
        yield f"{'succeeded':>10} {'failed':>8}  message"
        for name in known:
            yield f"{self.passed[name]:>10} {self.failed[name]:>8}  {name}"
        other = sum(count for name, count in self.failed.items() if name not in known)
        yield f"{0:>10} {other:>8}  of unknown message types"
        yield f"{len(self.codes)} codes: {' '.join(_by_name(self.codes))}"


def _by_name(codes: Counter[str]) -> Iterable[str]:
    return (f"{name}:{codes[name]}" for name in sorted(codes))

"""Simple reference model of channels, compared with the real code over random schedules.

Imports nothing of the project, and encodes, hashes and proves nothing. A proof is a read of an earlier state
of the other chain: header `h` has the state after block `h - 1`. Heights are plain numbers, times unix
nanoseconds; 0 is no timeout. A refusal is the name of an error.
"""

import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

Place = tuple[str, str]
"""A port and a channel."""

BLOCK_NS = 30 * 10**9
"""Maximum expected time per block, nanoseconds; used for delay periods in blocks."""

DRIFT_NS = 40 * 10**9
"""Maximum clock drift: lead of the other chain's clock over ours, nanoseconds."""

SUCCESS = b'{"result":"AQ=="}'


class Refused(Exception):
    """A refused message, which changes nothing; its argument is the error's name."""


class End(NamedTuple):
    """One end of a channel."""

    state: str
    ordered: bool
    far: Place
    connection: str
    version: str


class Packet(NamedTuple):
    """A packet: its endpoints are part of the commitment's key, the rest of the commitment."""

    sequence: int
    source: Place
    destination: Place
    data: bytes
    until_height: int
    until_ns: int

    @property
    def promise(self) -> tuple[bytes, int, int]:
        """The content of the commitment."""
        return self.data, self.until_height, self.until_ns


@dataclass
class State:
    """The state of a chain; `seen` has the other chain's headers, with our height and time of arrival.

    `last` is the scripted application's record of the last packet that it did not refuse.
    """

    seen: dict[int, tuple[int, int]] = field(default_factory=dict)
    frozen: bool = False
    channels: int = 0
    ends: dict[Place, End] = field(default_factory=dict)
    send: dict[Any, int] = field(default_factory=dict)
    recv: dict[Any, int] = field(default_factory=dict)
    ack: dict[Any, int] = field(default_factory=dict)
    commitments: dict[Any, Any] = field(default_factory=dict)
    receipts: dict[Any, bool] = field(default_factory=dict)
    acks: dict[Any, Any] = field(default_factory=dict)
    waiting: dict[Any, Any] = field(default_factory=dict)
    counterparty: str = ""
    relayers: tuple[str, ...] = ()
    last: bytes = b""
    coins: dict[tuple[str, str], int] = field(default_factory=dict)

    def copy(self) -> "State":
        """Return a copy."""
        facts: dict[str, Any] = {k: dict(v) if isinstance(v, dict) else v for k, v in vars(self).items()}
        return State(**facts)


def refuse(name: str) -> NoReturn:
    """Raise `Refused`."""
    raise Refused(name)


def is_late(packet: Packet, height: int, time_ns: int) -> bool:
    """Return whether a chain of that height and time may no longer receive the packet."""
    return 0 < packet.until_height <= height or 0 < packet.until_ns <= time_ns


def failure(code: int) -> bytes:
    """Return an application's error acknowledgement."""
    return b'{"error":"ABCI code: %d: error handling packet: see events for details"}' % code


def fields_of(raw: bytes) -> dict[str, str] | None:
    """Return the ICS-20 fields of packet data, or None if it has none."""
    try:
        fields = json.loads(raw)
    except ValueError:
        return None
    return fields if isinstance(fields, dict) else None


class Chain:
    """A chain with one client of the other, for classic channels and IBC v2.

    Args:
        client: The client's id.
        trusting_ns: Its trusting period, nanoseconds.
        user: Address of the account with coins.
    """

    def __init__(self, client: str, trusting_ns: int, user: str) -> None:
        self.client = client
        self.trusting_ns = trusting_ns
        self.user = user
        self.other = self
        self.state = State()
        self.past: dict[int, tuple[int, State]] = {}
        self.height = self.time = 0
        self.calls: list[str] = []
        self.signer = ""

    def begin(self, height: int, time_ns: int) -> None:
        """Begin a block, whose header has the state before it."""
        self.past[height] = (time_ns, self.state.copy())
        self.height, self.time = height, time_ns

    def transact(self, signer: str, *messages: tuple[str, tuple[Any, ...]]) -> list[str]:
        """Execute all messages or none: yield for each its result, or record the refusal."""
        before, self.signer = self.state.copy(), signer
        try:
            return [getattr(self, name)(*arguments) or "ok" for name, arguments in messages]
        except Refused as refusal:
            self.state = before
            return [refusal.args[0]]

    # -- the client

    def must_be_active(self) -> None:
        """Refuse if the client is frozen, or its newest header is older than the trusting period."""
        seen = self.state.seen
        if self.state.frozen or self.is_expired(max(seen)):
            refuse("ClientNotActive")

    def is_expired(self, height: int) -> bool:
        """Return whether the consensus state at a height has expired."""
        return height not in self.state.seen or self.other.past[height][0] + self.trusting_ns <= self.time

    def may_relay(self, client: str) -> None:
        """Refuse a relayer that is not among the allowed ones (IBC v2); an empty list allows all."""
        if client == self.client and self.state.relayers and self.signer not in self.state.relayers:
            refuse("Unauthorized")

    def update(self, height: int, trusted: int, fork: bool) -> None:
        """Store a header verified from an older one; a conflicting header freezes the client."""
        if trusted >= height:
            refuse("InvalidHeaderHeight")
        self.may_relay(self.client)
        self.must_be_active()
        if trusted not in self.state.seen:
            refuse("ConsensusStateNotFound")
        if self.is_expired(trusted):
            refuse("HeaderExpired")
        if self.other.past[height][0] >= self.time + DRIFT_NS:
            refuse("HeaderFromFuture")
        if fork:
            self.state.frozen = True
            return
        oldest = min(self.state.seen)
        if self.is_expired(oldest):
            del self.state.seen[oldest]
        self.state.seen.setdefault(height, (self.height, self.time))

    def look(self, height: int, delay_ns: int = 0) -> State:
        """Return the other chain's state at a height, if the delay period has passed."""
        self.must_be_active()
        if height > max(self.state.seen):
            refuse("InvalidHeight")
        came = self.state.seen.get(height)
        if delay_ns and came is None:
            refuse("ProcessedTimeNotFound")
        blocks = -(-delay_ns // BLOCK_NS)
        if came and (self.time < came[1] + delay_ns or self.height < came[0] + blocks):
            refuse("DelayPeriodNotPassed")
        if came is None:
            refuse("ConsensusStateNotFound")
        return self.other.past[height][1]

    def shown(self, entries: dict[Any, Any], key: Any, expected: Any) -> None:
        """Check that a proof shows exactly the expected entry."""
        if entries.get(key) != expected:
            refuse("InvalidProof")

    # -- coins of ICS-20

    def move(self, sender: str, receiver: str, denom: str, amount: int) -> None:
        """Move coins; the holder "" mints and burns them."""
        coins = self.state.coins
        if sender and coins.get((sender, denom), 0) < amount:
            refuse("InsufficientBalance")
        for holder, change in ((sender, -amount), (receiver, amount)):
            if holder:
                coins[holder, denom] = coins.get((holder, denom), 0) + change

    def take(self, near: Place, denom: str, amount: int) -> None:
        """Send coins: burn vouchers of this channel, escrow all others."""
        has_prefix = denom.startswith("/".join(near) + "/")
        self.move(self.user, "" if has_prefix else "/".join(near), denom, amount)

    def refund(self, near: Place, raw: bytes) -> None:
        """Refund the sender."""
        data = fields_of(raw) or refuse("InvalidType")
        self.give(near, data["denom"], int(data["amount"]))

    def give(self, near: Place, denom: str, amount: int) -> None:
        """Revert `take`."""
        has_prefix = denom.startswith("/".join(near) + "/")
        self.move("" if has_prefix else "/".join(near), self.user, denom, amount)

    def put(self, source: Place, near: Place, raw: bytes) -> bytes:
        """Receive coins and return the acknowledgement.

        Releases our own coins from escrow, and mints vouchers of foreign ones.
        """
        data = fields_of(raw)
        if data is None:
            return failure(12)
        if data["receiver"] != self.user:
            return failure(5)
        home = "/".join(source) + "/"
        if data["denom"].startswith(home):
            self.give(near, data["denom"].removeprefix(home), int(data["amount"]))
        else:
            self.give(near, "/".join((*near, data["denom"])), int(data["amount"]))
        return SUCCESS

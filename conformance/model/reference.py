"""What a channel should do, in the simplest words: held against the real code over random schedules.

Nothing of the project is imported here, and nothing is encoded, hashed or proven. A proof is a look at what
the other chain's state was: header `h` shows the state after block `h - 1`. Heights are plain numbers, times
unix nanoseconds; 0 is no timeout. A refusal is the name of an error.
"""

import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

Place = tuple[str, str]
"""A port and a channel."""

BLOCK_NS = 30 * 10**9
"""The longest that a block is expected to take: delays in blocks are counted with it."""

DRIFT_NS = 40 * 10**9
"""How far ahead of ours the other chain's clock may be."""

SUCCESS = b'{"result":"AQ=="}'


class Refused(Exception):
    """A message changes nothing; its argument is the error's name."""


class End(NamedTuple):
    """One end of a channel."""

    state: str
    ordered: bool
    far: Place
    connection: str
    version: str


class Packet(NamedTuple):
    """A packet; where it goes is part of its name, the rest is promised."""

    sequence: int
    source: Place
    destination: Place
    data: bytes
    until_height: int
    until_ns: int

    @property
    def promise(self) -> tuple[bytes, int, int]:
        """What a commitment binds."""
        return self.data, self.until_height, self.until_ns


@dataclass
class State:
    """Everything a chain knows; `seen` are the other chain's headers, with our height and time of arrival.

    `last` is what the scripted application wrote down of the last packet that it did not refuse.
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
        """The same, to be kept."""
        facts: dict[str, Any] = {k: dict(v) if isinstance(v, dict) else v for k, v in vars(self).items()}
        return State(**facts)


def refuse(name: str) -> NoReturn:
    """Ends a message."""
    raise Refused(name)


def is_late(packet: Packet, height: int, time_ns: int) -> bool:
    """Whether a chain of that height and time may not receive the packet any more."""
    return 0 < packet.until_height <= height or 0 < packet.until_ns <= time_ns


def failure(code: int) -> bytes:
    """What an application answers to a packet that it refuses."""
    return b'{"error":"ABCI code: %d: error handling packet: see events for details"}' % code


def fields_of(raw: bytes) -> dict[str, str] | None:
    """What a packet says of coins, if it is one of those."""
    try:
        fields = json.loads(raw)
    except ValueError:
        return None
    return fields if isinstance(fields, dict) else None


class Chain:
    """One chain with one client of the other, whatever goes over it.

    Args:
        client: Its name.
        trusting_ns: Its trusting period.
        user: Address of the one who holds coins.
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
        """A new block; its header shows the state before it."""
        self.past[height] = (time_ns, self.state.copy())
        self.height, self.time = height, time_ns

    def transact(self, signer: str, *messages: tuple[str, tuple[Any, ...]]) -> list[str]:
        """All of the messages, or none: what each came to, or the one refusal."""
        before, self.signer = self.state.copy(), signer
        try:
            return [getattr(self, name)(*arguments) or "ok" for name, arguments in messages]
        except Refused as refusal:
            self.state = before
            return [refusal.args[0]]

    # -- the client

    def must_be_active(self) -> None:
        """A frozen client is of no use, nor one whose newest header is older than the trusting period."""
        seen = self.state.seen
        if self.state.frozen or self.is_expired(max(seen)):
            refuse("ClientNotActive")

    def is_expired(self, height: int) -> bool:
        """Whether nothing may be trusted because of that header any more."""
        return height not in self.state.seen or self.other.past[height][0] + self.trusting_ns <= self.time

    def may_relay(self, client: str) -> None:
        """Everybody may, unless somebody is named (IBC v2)."""
        if client == self.client and self.state.relayers and self.signer not in self.state.relayers:
            refuse("Unauthorized")

    def update(self, height: int, trusted: int, fork: bool) -> None:
        """Learns a header because of an older one; two headers of one height freeze the client."""
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
        """What the other chain's header shows, if we may believe it by now."""
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
        """A proof is good for what it shows, and for nothing else."""
        if entries.get(key) != expected:
            refuse("InvalidProof")

    # -- coins of ICS-20

    def move(self, sender: str, receiver: str, denom: str, amount: int) -> None:
        """Moves coins; nobody ("") makes and destroys them."""
        coins = self.state.coins
        if sender and coins.get((sender, denom), 0) < amount:
            refuse("InsufficientBalance")
        for holder, change in ((sender, -amount), (receiver, amount)):
            if holder:
                coins[holder, denom] = coins.get((holder, denom), 0) + change

    def take(self, near: Place, denom: str, amount: int) -> None:
        """Coins leave: vouchers of this channel are destroyed, all others wait in its escrow."""
        came_over = denom.startswith("/".join(near) + "/")
        self.move(self.user, "" if came_over else "/".join(near), denom, amount)

    def refund(self, near: Place, raw: bytes) -> None:
        """The sender has his coins again."""
        data = fields_of(raw) or refuse("InvalidType")
        self.give(near, data["denom"], int(data["amount"]))

    def give(self, near: Place, denom: str, amount: int) -> None:
        """Undoes `take`."""
        came_over = denom.startswith("/".join(near) + "/")
        self.move("" if came_over else "/".join(near), self.user, denom, amount)

    def put(self, source: Place, near: Place, raw: bytes) -> bytes:
        """Coins arrive: our own come home, of foreign ones we make vouchers. Returns the answer."""
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

"""Policy for packets: filters by end, sender, receiver, denom and size, to limit spending.

A packet that the policy does not allow is neither delivered, acknowledged nor timed out. It stays pending: it
is listed, and relayed when the policy allows it. It is never given up.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pyibc.apps.transfer.packet_data import VERSION, TransferData, decode_payload
from pyibc.core.errors import IbcError
from pyibc.core.numbers import MAX_U64
from pyibc.core.packet_v2.types import JSON, PacketV2, Payload
from pyibc.relayer.packets.packets import AnyPacket, name_on_a, name_on_b
from pyibc.relayer.paths.path import AnyEnd

SHOWN = 64
"""Maximum number of characters of a packet's texts in a reason."""


class Rule(NamedTuple):
    """Patterns of texts, `*` standing for anything. A text passes if it is allowed and not denied."""

    allow: tuple[str, ...] = ()  # empty: all
    deny: tuple[str, ...] = ()

    def passes(self, text: str) -> bool:
        """Return whether the rule allows `text`."""
        if any(matches(pattern, text) for pattern in self.deny):
            return False
        return not self.allow or any(matches(pattern, text) for pattern in self.allow)


ALL = Rule()

TRANSFER_PORTS = Rule(allow=("transfer", "wasm.*"))
"""Ports whose contracts may read data as a transfer that pyibc does not: JSON parsers differ."""


_RANGE = re.compile(r" *(\d{1,20})(?:-(\d{1,20}))? *", re.ASCII)

Sequences = Mapping[tuple[str, str], frozenset[int]]
"""Sequences by the chain and the channel, or client, that sends them."""
NO_SEQUENCES: Sequences = {}
MAX_SEQUENCES = 10_000
"""Maximum number of sequences that one path may name."""
BLOCKING = ": later packets of the ordered channel wait too"
"""End of a reason to wait on an ordered channel."""


def read_sequences(parts: Iterable[int | str]) -> frozenset[int]:
    """Return the sequences in parts such as `5` and `7-9`, which includes both.

    Raises:
        ValueError: a part is neither a sequence nor a range, or there are too many sequences.
    """
    found = set[int]()
    for part in parts:
        match = _RANGE.fullmatch(str(part))
        first, last = (0, 0) if match is None else (int(match[1]), int(match[2] or match[1]))
        if not 0 < first <= last <= MAX_U64:
            raise ValueError(f"{str(part)[:64]!r} is not a sequence, nor a range such as 7-9")
        # guard: sequences-without-an-end drop test_sequences_are_read_and_bounded
        if len(found) + last - first >= MAX_SEQUENCES:
            raise ValueError(f"more than {MAX_SEQUENCES} sequences")
        found.update(range(first, last + 1))
    return frozenset(found)


class Policy(NamedTuple):
    """Conditions for relaying a packet. Ends are `port/channel`, in IBC v2 client ids; sizes are bytes."""

    source: Rule = ALL
    destination: Rule = ALL
    sender: Rule = ALL  # of an ICS-20 transfer, as `receiver` and `denom`
    receiver: Rule = ALL
    denom: Rule = ALL  # with its path, as in the packet
    max_memo: int | None = None
    max_receiver: int | None = None
    max_data: int | None = None  # of the packet, for any application
    only: Sequences = NO_SEQUENCES  # empty: all
    excluded: Sequences = NO_SEQUENCES

    @property
    def has_transfer_rules(self) -> bool:
        """Return whether any rule concerns fields of ICS-20 transfers."""
        rules = self.sender != ALL or self.receiver != ALL or self.denom != ALL
        return rules or self.max_memo is not None or self.max_receiver is not None


RELAY_ALL = Policy()


def reason_to_wait(policy: Policy, packet: AnyPacket) -> str | None:
    """Return the reason why the packet is not relayed for now; None if it is relayed.

    Transfers are decoded like in the transfer module, so no spelling of the JSON passes a filter. Data that
    cannot be decoded wait on `TRANSFER_PORTS` if there are rules on transfers. Data of other applications
    pass, unless senders, receivers or denominations must be on an allow list.

    Args:
        policy: The rules.
        packet: A packet of either version.
    """
    for what, rule, name in (
        ("source", policy.source, name_on_a(packet)),
        ("destination", policy.destination, name_on_b(packet)),
    ):
        if not rule.passes("/".join(name)):
            return f"{what} {_shown('/'.join(name))}"
    size = _size(packet)
    if policy.max_data is not None and size > policy.max_data:
        return f"data of {size} bytes, at most {policy.max_data}"
    return _transfers_reason(policy, packet) if policy.has_transfer_rules else None


def sequence_reason(policy: Policy, sender: AnyEnd, sequence: int, *, ordered: bool) -> str | None:
    """Return the reason why a packet of this sequence is not relayed for now; None if it may be.

    Args:
        policy: The rules.
        sender: The end that sends the packet.
        sequence: Of the packet; 0: none, for the closing of a channel.
        ordered: Whether later packets wait for this one.
    """
    name = sender.chain_id, sender.name[-1]
    behind = BLOCKING if ordered else ""
    if policy.only and sequence not in policy.only.get(name, ()):
        return f"not one of the given sequences{behind}"
    if sequence in policy.excluded.get(name, ()):
        return f"in exclude_sequences{behind}"
    return None


def matches(pattern: str, text: str) -> bool:
    """Return whether `text` matches `pattern`, in which `*` stands for any characters; linear in the text."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == first
    *middle, last = rest
    end = len(text) - len(last)
    if end < len(first) or not text.startswith(first) or not text.endswith(last):
        return False
    at = len(first)
    for part in middle:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _transfers_reason(policy: Policy, packet: AnyPacket) -> str | None:
    for payload in _payloads(packet):
        data = transfer_in(payload)
        reason = _other_reason(policy, payload) if data is None else _transfer_reason(policy, data)
        if reason is not None:
            return reason
    return None


def _payloads(packet: AnyPacket) -> tuple[Payload, ...]:
    if isinstance(packet, PacketV2):
        # guard: h155-the-first-payload-alone {packet.payloads => packet.payloads[:1]}
        #   test_h155_every_payload_and_encoding_is_looked_at
        return packet.payloads
    return (Payload(packet.port_id_on_a, packet.port_id_on_b, VERSION, JSON, packet.data),)


def transfer_in(payload: Payload) -> TransferData | None:
    """Return the ICS-20 transfer in a payload; None: there is none."""
    try:
        return decode_payload(payload)
    except IbcError:
        return None


def _other_reason(policy: Policy, payload: Payload) -> str | None:
    if TRANSFER_PORTS.passes(payload.port_id_on_a) or TRANSFER_PORTS.passes(payload.port_id_on_b):
        # guard: h155-what-cannot-be-read-passes test_h155_what_cannot_be_read_waits_where_transfers_are
        return "unreadable transfer"
    listed = (
        ("sender", policy.sender),
        ("receiver", policy.receiver),
        ("denom", policy.denom),
    )
    unknown = next((what for what, rule in listed if rule.allow), None)
    return f"no {unknown} to look up in an allow list" if unknown else None


def _transfer_reason(policy: Policy, data: TransferData) -> str | None:
    for what, rule, text in (
        ("sender", policy.sender, data.sender),
        ("receiver", policy.receiver, data.receiver),
        ("denom", policy.denom, data.denom.path),
    ):
        if not rule.passes(text):
            return f"{what} {_shown(text)}"
    for what, limit, text in (
        ("memo", policy.max_memo, data.memo),
        ("receiver", policy.max_receiver, data.receiver),
    ):
        size = len(text.encode("utf-8", "surrogatepass"))
        if limit is not None and size > limit:
            return f"{what} of {size} bytes, at most {limit}"
    return None


def _size(packet: AnyPacket) -> int:
    if isinstance(packet, PacketV2):
        return sum(len(payload.value) for payload in packet.payloads)
    return len(packet.data)


def _shown(text: str) -> str:
    return ascii(text[:SHOWN])

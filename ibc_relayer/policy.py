"""Which packets a relayer pays for: filters by end, sender, receiver, denom and size; a limit on spending.

A packet that a policy holds back waits: it is listed, and goes when the policy lets it. It is never given up.
"""

from typing import NamedTuple

from ibc_core.errors import IbcError
from ibc_core.packet_v2.types import PacketV2, Payload
from ibc_core.transfer.encodings import JSON
from ibc_module.apps.transfer.encodings import decode
from ibc_module.apps.transfer.packet_data import TransferData
from ibc_module.apps.transfer.state import VERSION
from ibc_relayer.packets import AnyPacket, name_on_a, name_on_b

SHOWN = 64
"""Characters of a packet's texts that a reason repeats."""


class Rule(NamedTuple):
    """Patterns of texts, `*` standing for anything: what is denied does not pass, nor what is not allowed."""

    allow: tuple[str, ...] = ()  # none: all
    deny: tuple[str, ...] = ()

    def passes(self, text: str) -> bool:
        """Whether it lets `text` through."""
        if any(matches(pattern, text) for pattern in self.deny):
            return False
        return not self.allow or any(matches(pattern, text) for pattern in self.allow)


ALL = Rule()

TRANSFER_PORTS = Rule(allow=("transfer", "wasm.*"))
"""Where data that is no transfer to us may be one to its receiver: contracts read JSON in their own ways."""


class Policy(NamedTuple):
    """What a packet must be to be relayed. Ends are `port/channel`, in IBC v2 client ids; sizes are bytes."""

    source: Rule = ALL
    destination: Rule = ALL
    sender: Rule = ALL  # of ICS-20, as `receiver` and `denom`
    receiver: Rule = ALL
    denom: Rule = ALL  # as the packet names it, with its path
    max_memo: int | None = None
    max_receiver: int | None = None
    max_data: int | None = None  # of the packet, whatever application

    @property
    def looks_at_transfers(self) -> bool:
        """Whether any rule is about what ICS-20 says."""
        rules = self.sender != ALL or self.receiver != ALL or self.denom != ALL
        return rules or self.max_memo is not None or self.max_receiver is not None


RELAY_ALL = Policy()


def reason_to_wait(policy: Policy, packet: AnyPacket) -> str | None:
    """Why the packet is not relayed for now; None if it is.

    What the transfer module reads in it is what counts, so no spelling of the JSON passes a filter. Data that
    it would not read waits on `TRANSFER_PORTS` if any rule is about transfers; other applications' pass, but
    not where senders, receivers or denominations must be on a list.

    Args:
        policy: The rules.
        packet: Of either version.
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
    return _of_transfers(policy, packet) if policy.looks_at_transfers else None


def matches(pattern: str, text: str) -> bool:
    """Whether `text` is like `pattern`, in which `*` stands for any characters; linear in the text."""
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


def _of_transfers(policy: Policy, packet: AnyPacket) -> str | None:
    for payload in _payloads(packet):
        data = _transfer(payload)
        reason = _of_others(policy, payload) if data is None else _of_transfer(policy, data)
        if reason is not None:
            return reason
    return None


def _payloads(packet: AnyPacket) -> tuple[Payload, ...]:
    if isinstance(packet, PacketV2):
        # guard: h155-the-first-payload-alone {packet.payloads => packet.payloads[:1]}
        #   test_h155_every_payload_and_encoding_is_looked_at
        return packet.payloads
    return (Payload(packet.port_id_on_a, packet.port_id_on_b, VERSION, JSON, packet.data),)


def _transfer(payload: Payload) -> TransferData | None:
    try:
        return decode(payload)
    except IbcError:
        return None


def _of_others(policy: Policy, payload: Payload) -> str | None:
    if TRANSFER_PORTS.passes(payload.port_id_on_a) or TRANSFER_PORTS.passes(payload.port_id_on_b):
        # guard: h155-what-cannot-be-read-passes test_h155_what_cannot_be_read_waits_where_transfers_are
        return "unreadable transfer"
    listed = (
        ("sender", policy.sender),
        ("receiver", policy.receiver),
        ("denom", policy.denom),
    )
    unknown = next((what for what, rule in listed if rule.allow), None)
    return f"no {unknown} that could be on a list" if unknown else None


def _of_transfer(policy: Policy, data: TransferData) -> str | None:
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

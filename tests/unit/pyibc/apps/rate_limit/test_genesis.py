"""Rate limits in a genesis: as ibc-go writes it, both ways."""

import json

import pytest

from pyibc.apps.rate_limit import genesis, state
from pyibc.apps.rate_limit.limit import HOUR_NS, Flow, HourEpoch, Quota, RateLimit, WhitelistedAddressPair
from pyibc.apps.rate_limit.plugin import RateLimitPlugin
from pyibc.core.errors import InvalidRateLimitChannel, InvalidRateLimitPacket
from pyibc.core.setup_error import InvalidGenesis
from tests.unit.pyibc.apps.rate_limit.support import context, entries, mark

HOUR = 1_704_067_200 * 10**9
"""On the hour: 2024-01-01T00:00:00Z."""
FULL = {
    "rate_limits": [
        {
            "path": {"denom": "ibc/AB", "channel_or_client_id": "07-tendermint-3"},
            "quota": {"max_percent_send": "10", "max_percent_recv": "0", "duration_hours": "24"},
            "flow": {"inflow": "5", "outflow": "6", "channel_value": "70"},
        }
    ],
    "whitelisted_address_pairs": [{"sender": "alice", "receiver": "bob"}],
    "blacklisted_denoms": ["bad", "worse"],
    "pending_send_packet_sequence_numbers": ["channel-0/7/transfer/channel-1/atom", "channel-2/1/grain"],
    "hour_epoch": {
        "epoch_number": "9",
        "duration": "3600s",
        "epoch_start_time": "2024-01-01T00:00:00Z",
        "epoch_start_height": "40",
    },
    "pending_recv_packet_sequence_numbers": ["07-tendermint-3/256/ibc/AB"],
    "other_entries": [],
}


@pytest.fixture
def ctx():
    return context(time_s=HOUR // 10**9 + 5 * 3600 + 1799)


def init(ctx, given):
    RateLimitPlugin().chain_init_genesis(ctx, {"ratelimit": given})


def export(ctx):
    return json.loads(json.dumps(RateLimitPlugin().chain_export_genesis(ctx)["ratelimit"]))


def test_what_was_exported_is_restored_entry_by_entry(ctx):
    init(ctx, FULL)
    assert entries(ctx).keys() == {
        b"rate-limitibc/AB07-tendermint-3",
        b"address-blacklistalicebob",
        b"denom-blacklistbad",
        b"denom-blacklistworse",
        mark(b"\0", "channel-0", "transfer/channel-1/atom", 7),
        mark(b"\0", "channel-2", "grain", 1),
        mark(b"\1", "07-tendermint-3", "ibc/AB", 256),
        b"hour-epoch",
    }
    (limit,) = state.limits(ctx)
    assert limit == RateLimit("ibc/AB", "07-tendermint-3", Quota(10, 0, 24), Flow(5, 6, 70))
    assert list(state.whitelist(ctx)) == [WhitelistedAddressPair("alice", "bob")]
    assert list(state.blacklist(ctx)) == ["bad", "worse"]
    assert state.epoch(ctx) == HourEpoch(9, HOUR_NS, HOUR, 40)
    assert export(ctx) == FULL


@pytest.mark.parametrize(
    "given", [{}, {"hour_epoch": {"duration": "3600s", "epoch_start_time": "0001-01-01T00:00:00Z"}}]
)
def test_a_new_chain_counts_hours_from_its_genesis_block(ctx, given):
    init(ctx, given)
    assert entries(ctx).keys() == {b"hour-epoch"}
    assert state.epoch(ctx) == HourEpoch(5, HOUR_NS, HOUR + 5 * HOUR_NS, 100)


def test_a_host_that_says_nothing_of_limits_has_none(ctx):
    RateLimitPlugin().chain_init_genesis(ctx, {})
    assert entries(ctx).keys() == {b"hour-epoch"}


def test_another_length_of_the_hour_is_kept(ctx):
    init(ctx, {"hour_epoch": {"duration": "60s"}})
    assert state.epoch(ctx).duration_ns == 60 * 10**9


def test_packets_marked_without_their_coin_are_left_out(ctx):
    """As ibc-go, which wrote them so before v11."""
    init(ctx, {**FULL, "pending_send_packet_sequence_numbers": ["channel-0/7", "channel-0/007/grain"]})
    assert export(ctx)["pending_send_packet_sequence_numbers"] == ["channel-0/7/grain"]


def test_what_no_section_takes_is_exported_as_it_is(ctx):
    init(ctx, FULL)
    store = ctx.store("ratelimit")
    strange = [
        (b"\0" + b"channel-0\0grain", b""),  # no sequence
        (mark(b"\0", "channel-0", "grain", 8), b"x"),
        (b"denom-blacklistodd", b"\2"),
        (b"rate-limitwhat", b"\xff"),
        (b"zzz", b"1"),
    ]
    for key, value in strange:
        store.set(key, value)
    exported = export(ctx)
    assert len(exported.pop("other_entries")) == len(strange)
    assert exported == {name: FULL[name] for name in exported}
    again = context()
    init(again, export(ctx))
    assert entries(again) == entries(ctx)


NO_PACKETS = ("channel-0", "channel-0/x", "channel-0/5/", "channel-0/-5/a", f"{'c' * 65}/5/a", f"a/{2**64}/b")


def without(*path, **change):
    """FULL with a part changed or taken away."""
    made = json.loads(json.dumps(FULL))
    inner = made
    for name in path:
        inner = inner[name]
    inner.update(change)
    return made


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ([], "ratelimit"),
        ({"surprise": 1}, "ratelimit.surprise"),
        ({"rate_limits": [{}]}, "ratelimit.rate_limits[0]"),
        (without("rate_limits", 0, path=None), "ratelimit.rate_limits[0]"),
        (without("rate_limits", 0, quota=None), "ratelimit.rate_limits[0]"),
        (without("rate_limits", 0, flow=None), "ratelimit.rate_limits[0]"),
        (without("rate_limits", 0, "quota", max_percent_send="101"), "ratelimit.rate_limits[0]"),
        (without("rate_limits", 0, "quota", max_percent_recv="-1"), "ratelimit.rate_limits[0]"),
        (without("rate_limits", 0, "flow", inflow="-1"), "ratelimit.rate_limits[0]"),
        (without("rate_limits", 0, "flow", channel_value=str(2**256)), "ratelimit.rate_limits[0]"),
        (without("rate_limits", 0, "path", denom="a\0"), "ratelimit.rate_limits[0]"),
        (without("rate_limits", 0, "path", channel_or_client_id="c" * 65), "ratelimit.rate_limits[0]"),
        ({**FULL, "rate_limits": FULL["rate_limits"] * 2}, "ratelimit.rate_limits[1]"),
        *(
            ({field: [name]}, f"ratelimit.{field}[0]")
            for field in ("pending_send_packet_sequence_numbers", "pending_recv_packet_sequence_numbers")
            for name in NO_PACKETS
        ),
        (without("hour_epoch", duration="0s"), "ratelimit.hour_epoch"),
        (without("hour_epoch", epoch_start_time="soon"), "ratelimit.hour_epoch.epoch_start_time"),
        ({"other_entries": 5}, "ratelimit.other_entries"),
    ],
)  # fmt: skip
def test_a_bad_genesis_is_refused_by_key(ctx, given, key):
    with pytest.raises(InvalidGenesis) as caught:
        init(ctx, given)
    assert caught.value.key == key
    assert entries(ctx) == {}


def test_the_entry_is_called_as_ibc_go_s_module():
    assert genesis.ENTRY == state.STORE_NAME == "ratelimit"


@pytest.mark.parametrize(
    ("end", "denom", "error"),
    [
        ("c" * 65, "grain", InvalidRateLimitChannel),
        ("a\0b", "grain", InvalidRateLimitChannel),
        ("channel-0", "", InvalidRateLimitPacket),
        ("channel-0", "a\0", InvalidRateLimitPacket),
    ],
)
def test_names_that_no_key_can_have(end, denom, error):
    with pytest.raises(error):
        state.packets_prefix(state.SENT, end, denom)
    assert state.packets_prefix(state.SENT, "c" * 64, "d") == b"\0" + b"c" * 64 + b"\0d\0"


def test_of_a_character_with_several_bytes_the_first_is_in_the_key():
    """As the SDK's collections write texts."""
    key = state.packets_prefix(state.RECEIVED, "channel-1", "u\u00e9\u20acx\U0001f600")
    assert key == b"\1channel-1\0u\xc3\0\xe2\0\0x\xf0\0\0\0\0"

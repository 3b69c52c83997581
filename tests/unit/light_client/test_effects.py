"""A block as it will be once a proof is used up."""

from conformance import memory
from light_client.interface import ProofEffect, with_effect
from pyibc.core import paths

KEY = paths.client_state_path("06-solomachine-0")


def test_one_entry_shows_another_value_and_nothing_is_written():
    ctx = memory.block(10**18, height=7)
    ctx.next_validators_hash = b"v" * 32
    ctx.ibc.set(KEY, b"before")
    ctx.ibc.set(b"a", b"1")
    ctx.ibc.set(b"z", b"2")
    before = ctx.writes("ibc")
    seen = with_effect(ctx, ProofEffect("06-solomachine-0", b"after"))
    assert (seen.ibc.get(KEY), seen.ibc.get(b"a"), seen.ibc.get(b"b")) == (b"after", b"1", None)
    assert (seen.ibc.has(KEY), seen.ibc.has(b"b")) == (True, False)
    assert list(seen.ibc.iterate(b"\x00", None)) == [(b"a", b"1"), (KEY, b"after"), (b"z", b"2")]
    assert seen.reader("ibc").get(KEY) == b"after"
    assert (seen.chain_id, seen.height, seen.time_ns, seen.gas) == (ctx.chain_id, ctx.height, 10**18, ctx.gas)
    assert seen.next_validators_hash == b"v" * 32
    assert ctx.writes("ibc") == before


def test_without_an_effect_nothing_changes():
    ctx = memory.block(10**18)
    assert with_effect(ctx, None) is ctx

"""Delegations that SDK's staking refuses, with its codes: an acknowledgement holds them."""

import pytest

from conformance.transcripts.chain import ReplayChain
from conformance.transcripts.document import Balance, ChainStart
from conformance.transcripts.recorded_staking import STORE, MsgDelegate
from pyibc.core.address import AddressCodec
from pyibc.core.errors import IbcError
from pyibc.core.wire.message import pack_msg

GOVERNANCE = "cosmos10d07y265gmmuvt4z0w9aw880jnsr700j6zn9kn"
KNOWN, UNKNOWN = bytes(range(20)), bytes(20)
ALICE = AddressCodec("cosmos").encode(b"\1" * 20).text
CASES = {
    "no validator": (UNKNOWN, "stake", "5", "staking", 3),
    "nothing": (KNOWN, "stake", "0", "sdk", 18),
    "less than nothing": (KNOWN, "stake", "-5", "sdk", 18),
    "no amount": (KNOWN, "stake", "", "sdk", 18),
    "no denomination": (KNOWN, "", "5", "sdk", 18),
    "other coins": (KNOWN, "atom", "5", "sdk", 18),
    "too much": (KNOWN, "stake", "101", "sdk", 5),
    "no address of a validator": (None, "stake", "5", "sdk", 7),
}


@pytest.fixture
def chain():
    start = ChainStart("a-1", 1, 0, {}, (Balance(ALICE, "stake", 100),), validators=frozenset([KNOWN]))
    return ReplayChain(start, GOVERNANCE)


def delegate(chain, validator, denom, amount):
    text = ALICE if validator is None else AddressCodec("cosmosvaloper").encode(validator).text
    route = chain.pipeline.messages()[MsgDelegate.TYPE_URL]
    ctx = chain.context(2, 1)
    raw = pack_msg(MsgDelegate(ALICE, text, denom, amount)).value
    with ctx.branch():
        route.deliver(ctx, route.decode(raw))
    return ctx


@pytest.mark.parametrize("case", CASES)
def test_what_staking_refuses_has_its_code(chain, case):
    validator, denom, amount, codespace, code = CASES[case]
    with pytest.raises(IbcError) as caught:
        delegate(chain, validator, denom, amount)
    assert (caught.value.codespace, caught.value.code) == (codespace, code)


def test_a_validator_of_the_header_is_one(chain):
    ctx = delegate(chain, KNOWN, "stake", "100")
    assert ctx.take_events()[-1][0] == "delegate"
    assert chain.balance(ctx, ALICE, "stake") == 0
    assert [value for _, value in ctx.writes(STORE)] == [b"\1"]

"""The boundary makes a refusal of every error; a bug of ours is none."""

import pytest

from conformance.fuzz.block_stage import PASSED, tried, verdict_of
from pyibc.core.errors import NotFound
from pyibc.core.host.block import TxOutcome
from pyibc.isolation.boundary import in_block


def raising(error):
    def run(_ctx):
        raise error

    return run


def test_what_nobody_foresaw_is_no_verdict():
    behind = in_block("here", raising(KeyError("x")))
    with pytest.raises(KeyError, match="x"):
        tried(lambda: behind(None))
    assert tried(lambda: in_block("here", raising(NotFound("a client")))(None)) == "ibc/16"
    assert tried(lambda: None) == PASSED


def test_nor_is_an_outcome_that_says_so():
    with pytest.raises(RuntimeError, match="an unexpected exception"):
        verdict_of(TxOutcome(b"", 111_222, "undefined", (), 0, 0))
    assert verdict_of(TxOutcome(b"", 5, "sdk", (), 0, 0)) == "sdk/5"
    assert verdict_of(TxOutcome(b"", 0, "", (), 0, 0)) == PASSED

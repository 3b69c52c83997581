"""Seconds of `pyibc relay start` over five chains' RPC, each of them bad in its turn."""

import json

import pytest

from conformance.soak.live_daemon import events_in
from conformance.soak.live_run import OTHERS, PAIRS, faults_of, live, reached


@pytest.mark.exhaustive
def test_a_daemon_outlives_every_fault_and_knows_what_it_paid(tmp_path):
    result = live(tmp_path / "relayer", 24, 1)
    assert result.packets > len(PAIRS)
    assert (result.left, result.exit_code, result.failed) == (0, 0, ())
    log = list(events_in(tmp_path / "relayer" / "relayer.log"))
    assert [each["event"] for each in log].count("reloaded") == 1
    down = {each["chain"] for each in log if each["event"] == "node down"}
    assert down == result.fees.keys()  # each was, and the daemon noticed
    assert len(result.fees) == 5
    assert {chain: known for chain, (_, known) in result.fees.items() if known > 0} == {
        chain: paid for chain, (paid, _) in result.fees.items()
    }


def test_a_daemon_has_reached_the_chains_that_its_log_says_are_up(tmp_path):
    """The faults begin after it has, so that a loaded machine misses none of them."""
    log = tmp_path / "relayer.log"
    lines = [{"event": "up", "chain": "a-1"}, {"event": "node down", "chain": "b-2"}]
    lines += [{"event": "down", "chain": "b-2"}, {"event": "up", "chain": "c-3"}]
    whole = "".join(json.dumps(each) + "\n" for each in lines)
    log.write_text(whole)
    assert reached(log) == {"a-1", "c-3"}
    log.write_text(whole[:-3])
    assert reached(log) == {"a-1"}


def test_every_chain_is_down_and_has_another_fault_once_and_is_sound_at_first_and_at_last():
    faults = faults_of(600.0)
    assert {fault.chain for fault in faults if fault.kind == "down"} == {0, 1, 2, 3, 4}
    assert {fault.kind: fault.chain for fault in faults if fault.kind != "down"} == dict(
        zip(OTHERS, (1, 2, 3, 4, 0), strict=True)
    )
    assert {fault.last_s - fault.first_s for fault in faults} == {100.0}
    assert (min(fault.first_s for fault in faults), max(fault.last_s for fault in faults)) == (50.0, 550.0)

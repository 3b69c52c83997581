"""Commands that follow chains go on after a node was away; those that do not, end at once and say why."""

from contextlib import contextmanager
from typing import ClassVar

import pytest
from click.testing import CliRunner

from pyibc.cli import following, watch
from pyibc.cli.following import LONGEST_S, Retries
from pyibc.relayer.errors import ClientUnusable, EndpointUnavailable, MalformedAnswer

DOWN = EndpointUnavailable("http://one", "connection refused")


def failing(*errors):
    left = list(errors)

    def step():
        if left:
            raise left.pop(0)
        return "done"

    return step


def test_h147_a_node_that_is_down_for_ten_minutes_is_outlasted(capsys) -> None:
    pauses = []
    retries = Retries(endless=True, sleep=pauses.append)
    assert retries.run(failing(*[DOWN] * 24)) == "done"
    assert sum(pauses) > 600
    assert max(pauses) == LONGEST_S
    assert capsys.readouterr().err == "waiting: http://one: connection refused\nresuming\n"
    retries.run(failing(DOWN, MalformedAnswer("one", "block", "odd")))
    assert pauses[-2:] == [1, 2]


def test_without_patience_the_first_error_ends_it() -> None:
    with pytest.raises(EndpointUnavailable):
        Retries(endless=False, sleep=lambda _s: pytest.fail("it waited")).run(failing(DOWN))


def test_what_does_not_pass_is_not_waited_for() -> None:
    with pytest.raises(ClientUnusable):
        Retries(endless=True, sleep=lambda _s: pytest.fail("it waited")).run(
            failing(ClientUnusable("one", "07-tendermint-0", "frozen"))
        )


class Chain:
    def __init__(self, chain_id) -> None:
        self.chain_id = chain_id

    def tip(self):
        return type("Tip", (), {"height": 5})


class Monitor:
    """Its node is away at the third look, and it is interrupted at the sixth."""

    looks: ClassVar[list[str]] = []

    def __init__(self, host, _reference, since, _drivers, _consumer) -> None:
        self.host = host
        self.unchecked = []

    def detect(self):
        self.looks.append(self.host.chain_id)
        if len(self.looks) == 3:
            raise DOWN
        if len(self.looks) == 6:
            raise KeyboardInterrupt
        return []


@pytest.mark.parametrize(("follow", "looks"), [(["--follow"], 6), ([], 2)])
def test_h147_watch_goes_on_after_a_node_was_away(monkeypatch, tmp_path, follow, looks) -> None:
    connects = []

    @contextmanager
    def endpoints(_options):
        connects.append(1)
        if follow and len(connects) == 1:
            raise DOWN
        yield Chain("one-1"), Chain("two-2")

    Monitor.looks = []
    monkeypatch.setattr(watch, "endpoints", endpoints)
    monkeypatch.setattr(watch, "MisbehaviourMonitor", Monitor)
    for module in (watch, following):
        monkeypatch.setattr(module.time, "sleep", lambda _s: None)
    done = CliRunner().invoke(watch.command, follow)
    assert (done.exit_code, len(Monitor.looks)) == (0, looks)
    assert done.stderr.count("waiting: http://one") == (2 if follow else 0)

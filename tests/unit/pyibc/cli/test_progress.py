"""Progress on stderr: silent for two seconds, one changing line on a terminal, some lines elsewhere."""

import io
import os
import threading

import click
import pytest
from click.testing import CliRunner

from pyibc.cli import progress as module
from pyibc.cli.progress import Progress, progress


class Stream(io.StringIO):
    def __init__(self, *, is_terminal=False):
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self):
        return self._is_terminal


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def begun(what, stream, clock, **options):
    shown = Progress("starting", stream, clock, **options)
    shown(what)
    return shown


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def run(clock):
    """Return a function that ticks every half second up to a time."""

    def ticks(shown, until):
        while clock.now < until:
            clock.now += 0.5
            shown.tick()

    return ticks


def test_two_seconds_pass_in_silence(clock, run):
    stream = Stream()
    shown = begun("starting chains", stream, clock)
    run(shown, 1.5)
    shown("waiting for blocks")
    run(shown, 3.0)
    assert stream.getvalue() == ""


def test_then_there_is_a_line_now_and_then(clock, run):
    stream = Stream()
    shown = begun("starting chains", stream, clock)
    run(shown, 70)
    shown.close()
    said = ["starting chains: 2 s", "starting chains: 32 s", "starting chains: 62 s"]
    assert stream.getvalue().splitlines() == said


def test_each_step_has_its_own_silence_and_time(clock, run):
    stream = Stream()
    shown = begun("starting chains", stream, clock)
    run(shown, 10)
    shown("waiting for blocks")
    run(shown, 14)
    assert stream.getvalue().splitlines() == ["starting chains: 2 s", "waiting for blocks: 2 s"]


def test_a_terminal_has_one_line_that_changes_and_goes(clock, run, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(module.shutil, "get_terminal_size", lambda: os.terminal_size((20, 5)))
    stream = Stream(is_terminal=True)
    shown = begun("starting two chains", stream, clock)
    run(shown, 2.5)
    shown.close()
    shown.close()
    clear = "\r\x1b[K"
    assert stream.getvalue() == f"{clear}starting two chains{clear}starting two chains{clear}"


def test_a_terminal_without_control_sequences_has_plain_lines(clock, run, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    stream = Stream(is_terminal=True)
    shown = begun("starting", stream, clock)
    run(shown, 3)
    shown.close()
    assert stream.getvalue() == "starting: 2 s\n"


@pytest.mark.parametrize("is_terminal", [True, False])
def test_eager_steps_are_shown_at_once_and_a_repeated_one_once(clock, run, monkeypatch, is_terminal):
    monkeypatch.setenv("TERM", "xterm")
    stream = Stream(is_terminal=is_terminal)
    shown = begun("reading", stream, clock, eager=True)
    run(shown, 1)
    shown("reading")
    shown("writing")
    shown.close()
    clear = "\r\x1b[K"
    said = f"{clear}reading{clear}{clear}writing{clear}" if is_terminal else "reading\nwriting\n"
    assert stream.getvalue() == said


def test_a_long_eager_step_is_told_again(clock, run):
    stream = Stream()
    run(begun("reading", stream, clock, eager=True), 31)
    assert stream.getvalue() == "reading\nreading: 30 s\n"


def test_a_line_between_replaces_the_changing_one(clock, run, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Stream(is_terminal=True)
    shown = begun("reading", stream, clock)
    run(shown, 2)
    shown.say("block 5 is gone")
    run(shown, 3.5)
    assert stream.getvalue() == "\r\x1b[Kreading: 2 s\r\x1b[Kblock 5 is gone\n"


def test_what_is_hidden_tells_only_its_lines(clock):
    stream = Stream()
    shown = begun("reading", stream, clock, eager=True, hidden=True)
    shown.say("block 5 is gone")
    assert stream.getvalue() == "block 5 is gone\n"


def test_control_characters_do_not_reach_the_terminal(clock, run):
    stream = Stream()
    run(begun("reading\n\x1b[2J", stream, clock), 2)
    assert stream.getvalue() == "reading \\x1b[2J: 2 s\n"


@pytest.fixture
def impatient(monkeypatch):
    """Progress is shown at once; `shown` is set then."""
    shown = threading.Event()
    monkeypatch.setattr(module, "SILENT_S", 0.0)
    monkeypatch.setattr(module, "_TICK_S", 0.0)
    tick = Progress.tick

    def told(self):
        tick(self)
        shown.set()

    monkeypatch.setattr(Progress, "tick", told)
    return shown


@click.command()
@click.option("--json", "as_json", is_flag=True)
@click.pass_obj
def work(shown, as_json):
    with progress("working"):
        if not as_json:
            assert shown.wait(30)
        names = [each.name for each in threading.enumerate()]
    click.echo("progress" in names)


def test_a_command_shows_it_on_stderr_while_it_works(impatient):
    done = CliRunner().invoke(work, [], obj=impatient)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "True\n", "working: 0 s\n")
    assert [each for each in threading.enumerate() if each.name == "progress"] == []


def test_nothing_is_shown_with_json(impatient):
    done = CliRunner().invoke(work, ["--json"], obj=impatient)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "False\n", "")


def test_a_closed_terminal_does_not_end_the_command(impatient, monkeypatch):
    class Closed(Stream):
        def write(self, _text):
            raise BrokenPipeError

    monkeypatch.setattr(module.sys, "stderr", Closed(is_terminal=True))
    with progress("working") as told:
        assert impatient.wait(30)
        told("working more")

"""ibc-go's verdicts read, with a stand-in for its program that says what a test wants."""

import json
import stat
import sys

import pytest

from conformance.walks.replay_program import Missing, build, find_go
from conformance.walks.verification import TEXTS, verify

PROGRAM = """#!{python}
import json, sys
failed = 0
for path in sys.argv[1:]:
    document = json.load(open(path))
    name = "/".join(path.rsplit("/", 2)[1:])
    tx = document["steps"][0]["txs"][0]
    wrong = eval({rule!r})
    if wrong:
        print(name + ": step 0 alpha-1 height 2 tx 0 MsgX: " + wrong)
    print(f"{{name}}: {{1 - bool(wrong)}} passed, {{int(bool(wrong))}} failed")
    failed += bool(wrong)
print(f"0 passed, {{failed}} failed")
sys.exit(1 if failed else 0)
"""

EVENT = (
    'event 0: file e{{...}}, ibc-go e{{ibccallbackerror-error="{theirs}" {other}="1"}} '
    "(file 1 events, ibc-go 1)"
)


@pytest.fixture
def program(tmp_path):
    def made(rule):
        path = tmp_path / "replay"
        path.write_text(PROGRAM.format(python=sys.executable, rule=rule))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return made


def transcript(**tx):
    return {"steps": [{"txs": [{"code": 1, "codespace": "ibc", "events": [], **tx}], "actions": []}]}


def test_what_passes_passes(program, tmp_path):
    verdict = verify(program("None"), {tmp_path / "w.json": transcript()})
    assert (verdict.passed, verdict.failed, dict(verdict.explained)) == (1, [], {})


def test_a_difference_on_purpose_is_taken_out_and_judged_again(program, tmp_path):
    rule = "'code: file ibc/8, ibc-go undefined/1 duplicate client type: x' if 'codespace' in tx else None"
    path = tmp_path / "w.json"
    verdict = verify(program(rule), {path: transcript(error_type="InvalidRequest")})
    assert (verdict.passed, verdict.failed) == (1, [])
    assert dict(verdict.explained) == {"parameters: plain fmt errors": 1}
    assert "codespace" not in json.loads(path.read_text())["steps"][0]["txs"][0]


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("ClientNotFound", "code: file client/4, ibc-go undefined/1 duplicate client type: x"),
        ("InvalidRequest", "code: file ibc/8, ibc-go client/3 duplicate client type: x"),
        ("MockRefusal", "code: file ibc/8, ibc-go undefined/1 duplicate client type: x"),
        ("InvalidRequest", "response 0: file 00, ibc-go 01"),
    ],
)
def test_every_other_difference_is_a_failure(program, tmp_path, kind, line):
    verdict = verify(program(repr(line)), {tmp_path / "w.json": transcript(error_type=kind)})
    assert verdict.passed == 0
    assert len(verdict.failed) == 1
    assert line in verdict.failed[0]


def event(**attributes):
    return {"type": "e", "attributes": [{"key": key, "value": text} for key, text in attributes.items()]}


def test_texts_of_errors_are_taken_over(program, tmp_path):
    line = EVENT.format(theirs=r"two\nlines", other="a")
    rule = f"None if tx['events'][0]['attributes'][0]['value'] == 'two\\nlines' else {line!r}"
    ours = event(**{"ibccallbackerror-error": "ours", "a": "1"})
    verdict = verify(program(rule), {tmp_path / "w.json": transcript(events=[ours])})
    assert (verdict.passed, verdict.failed, dict(verdict.explained)) == (1, [], {TEXTS: 1})


@pytest.mark.parametrize("attributes", [{"a": "2"}, {"b": "1"}, {}])
def test_other_attributes_are_not(program, tmp_path, attributes):
    line = EVENT.format(theirs="theirs", other="a")
    ours = event(**{"ibccallbackerror-error": "ours"}, **attributes)
    verdict = verify(program(repr(line)), {tmp_path / "w.json": transcript(events=[ours])})
    assert len(verdict.failed) == 1


def test_a_program_that_breaks_down_is_no_verdict(program, tmp_path):
    with pytest.raises(RuntimeError, match="exit code 3"):
        verify(program("sys.exit(3)"), {tmp_path / "w.json": transcript()})


def test_what_is_missing_is_said(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(Missing, match="Go is not installed"):
        find_go()


def test_a_build_that_fails_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("GO", "false")
    with pytest.raises(Missing, match="does not build"):
        build(tmp_path / "cache")

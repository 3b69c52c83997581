"""ibc-go's judgement of transcripts: what its program `replay` prints, read line by line."""

import json
import re
import subprocess
from ast import literal_eval
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from conformance.transcripts.compare import FREE_TEXT
from conformance.transcripts.differences import explain
from ibc_core import errors

_PLACE = (
    r"^(?P<file>[^:]+): "
    r"(?:step (?P<step>\d+) \S+ height \d+ (?P<kind>tx|action) (?P<at>\d+)\b[^:]*"
    r"|check_tx (?P<check>\d+)[^:]*): "
)
_CODE = re.compile(_PLACE + r"code: file \S+, ibc-go (?P<codespace>[^/ ]+)/(?P<code>\d+) (?P<text>.*)\Z")
_EVENT = re.compile(
    _PLACE + r"event (?P<event>\d+): file .*?, ibc-go (?P<theirs>.*) \(file \d+ events, ibc-go \d+\)\Z"
)
_ATTRIBUTE = re.compile(r'(?P<key>[^\s={]+)="(?P<value>(?:[^"\\]|\\.)*)"')
_FILE = re.compile(r"^(?P<file>[^:]+): (?:\d+ skipped, )?(?P<passed>\d+) passed, (?P<failed>\d+) failed\Z")
_ALL = re.compile(r"^(?:\d+ skipped, )?\d+ passed, \d+ failed\Z")

PASSES = 8
"""How often a transcript is judged: each time it tells its first difference, and texts are taken over."""

TEXTS = "texts of errors in events, which are not compared"

Documents = Mapping[Path, dict[str, Any]]
"""Transcripts by the files they are to be judged in."""


class Verdict(NamedTuple):
    """What ibc-go says."""

    passed: int
    failed: list[str]
    """Lines of `replay` that no difference on purpose explains."""
    explained: Counter[str]
    """Reason of a difference on purpose -> how often."""


def judge(program: Path, documents: Documents) -> Verdict:
    """Has `replay` judge the transcripts, which are written to their files.

    At first every code is compared. Where ibc-go's differs for a reason in the table of differences, the
    codespace is taken out of the file, which then means "any failure", and ibc-go judges it once more: so
    what is left in the files passes ibc-go's judgement as it stands. Error texts in events become ibc-go's.

    Raises:
        RuntimeError: the program does not run to its end.
    """
    explained: Counter[str] = Counter()
    left, passed, failed = dict(documents), 0, list[str]()
    for _ in range(PASSES):
        for path, document in left.items():
            write(path, document)
        lines = _run(program, left)
        touched = {}
        for line in lines:
            found = _explained(line, left)
            if found is not None:
                touched[found[0]] = documents[found[0]]
                explained[found[1]] += 1
        settled, wrong = _settled(lines, touched)
        passed, failed, left = passed + settled, failed + wrong, touched
        if not left:
            break
    return Verdict(passed, failed, explained)


def _settled(lines: list[str], again: Documents) -> tuple[int, list[str]]:
    """How much passed, and what did not, in files that will not be judged again."""
    waiting = {_name(path) for path in again}
    passed, failed = 0, []
    for line in lines:
        summary = _FILE.match(line)
        if summary is not None:
            passed += 0 if summary["file"] in waiting else int(summary["passed"])
        elif not _ALL.match(line) and line.partition(": ")[0] not in waiting:
            failed.append(line)
    return passed, failed


def _name(path: Path) -> str:
    """How `replay` calls a file."""
    return f"{path.parent.name}/{path.name}"


def write(path: Path, document: Mapping[str, Any]) -> None:
    """Writes a transcript: the same bytes for the same transcript."""
    path.write_text(json.dumps(document, indent=0, sort_keys=True) + "\n", encoding="utf-8")


def _run(program: Path, paths: Iterable[Path]) -> list[str]:
    names = [str(path) for path in paths]
    done = subprocess.run([program, *names], capture_output=True, check=False)  # noqa: S603
    if done.returncode not in {0, 1}:
        raise RuntimeError(f"{program}: exit code {done.returncode}: {done.stderr[-2000:]!r}")
    return done.stdout.decode("utf-8", "replace").rstrip("\n").split("\n")


def _explained(line: str, documents: Documents) -> tuple[Path, str] | None:
    """Changes the transcript where a line tells of a difference on purpose; its file and the reason."""
    code, event = _CODE.match(line), _EVENT.match(line)
    found = code or event
    path = next((path for path in documents if found and _name(path) == found["file"]), None)
    if found is None or path is None:
        return None
    outcome = _outcome(found, documents[path])
    if event is not None:
        same = _takes_text(outcome["events"], event)
        return (path, TEXTS) if same else None
    reason = _reason(found, outcome)
    if reason is None:
        return None
    outcome.pop("codespace", None)
    return path, reason


def _outcome(found: re.Match[str], document: Mapping[str, Any]) -> dict[str, Any]:
    """What a line is about."""
    outcome: dict[str, Any]
    if found["check"] is not None:
        outcome = document["check_tx"][int(found["check"])]
    else:
        step = document["steps"][int(found["step"])]
        outcome = step["txs" if found["kind"] == "tx" else "actions"][int(found["at"])]
    return outcome


def _reason(found: re.Match[str], outcome: Mapping[str, Any]) -> str | None:
    ours = getattr(errors, outcome.get("error_type", ""), None)
    says = outcome.get("log") or outcome.get("error") or ""
    if ours is None:
        return None
    return explain(found["codespace"], int(found["code"]), found["text"], ours, says)


def _takes_text(events: list[dict[str, Any]], found: re.Match[str]) -> bool:
    """Takes ibc-go's error text over where an event differs in that alone; says whether it does."""
    compared = [each for each in events if each["type"] != "tx"]
    number = int(found["event"])
    if number >= len(compared):
        return False
    attributes = compared[number]["attributes"]
    theirs = list(_attributes(found["theirs"]))
    if [each["key"] for each in attributes] != [key for key, _ in theirs]:
        return False
    changed = False
    for each, (_, value) in zip(attributes, theirs, strict=True):
        if each["value"] != value:
            if each["key"] not in FREE_TEXT:
                return False
            each["value"], changed = value, True
    return changed


def _attributes(text: str) -> Iterator[tuple[str, str]]:
    for found in _ATTRIBUTE.finditer(text):
        yield found["key"], literal_eval(f'"{found["value"]}"')  # Go quotes as Python does

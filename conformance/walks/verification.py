"""Verification of transcripts by ibc-go, parsed from the output of its `replay` program."""

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
from pyibc.core import errors

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
"""Maximum number of replays of a transcript; each one reports only the first difference."""

TEXTS = "texts of errors in events, which are not compared"

Documents = Mapping[Path, dict[str, Any]]
"""Transcripts by file."""


class Verdict(NamedTuple):
    """The result of a replay by ibc-go."""

    passed: int
    failed: list[str]
    """Output lines that no intended difference explains."""
    explained: Counter[str]
    """Number of intended differences, by reason."""


def verify(program: Path, documents: Documents) -> Verdict:
    """Write transcripts to their files and have `replay` verify them.

    Every code is compared at first. Where ibc-go's code is an intended difference, the codespace is removed
    from the file, which then matches any failure, and the file is replayed again; so the final files pass
    unchanged. Error texts in events are replaced by ibc-go's.

    Raises:
        RuntimeError: the program failed.
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
    """Return the passed count and the failures of files that are not replayed again."""
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
    """Return a file's name in the output of `replay`."""
    return f"{path.parent.name}/{path.name}"


def write(path: Path, document: Mapping[str, Any]) -> None:
    """Write a transcript deterministically."""
    path.write_text(json.dumps(document, indent=0, sort_keys=True) + "\n", encoding="utf-8")


def _run(program: Path, paths: Iterable[Path]) -> list[str]:
    names = [str(path) for path in paths]
    done = subprocess.run([program, *names], capture_output=True, check=False)  # noqa: S603
    if done.returncode not in {0, 1}:
        raise RuntimeError(f"{program}: exit code {done.returncode}: {done.stderr[-2000:]!r}")
    return done.stdout.decode("utf-8", "replace").rstrip("\n").split("\n")


def _explained(line: str, documents: Documents) -> tuple[Path, str] | None:
    """If a line is an intended difference, update the transcript and return file and reason."""
    code, event = _CODE.match(line), _EVENT.match(line)
    found = code or event
    path = next((path for path in documents if found and _name(path) == found["file"]), None)
    if found is None or path is None:
        return None
    outcome = _outcome(found, documents[path])
    if event is not None:
        if _is_unreadable(outcome["events"], event):
            outcome.pop("events")
            return path, TEXTS
        same = _takes_text(outcome["events"], event)
        return (path, TEXTS) if same else None
    reason = _reason(found, outcome)
    if reason is None:
        return None
    outcome.pop("codespace", None)
    return path, reason


def _outcome(found: re.Match[str], document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the transaction, action or CheckTx result a line refers to."""
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
    """Replace our error text by ibc-go's if an event differs in nothing else; return whether it does."""
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


def _is_unreadable(events: list[dict[str, Any]], found: re.Match[str]) -> bool:
    """Return whether ibc-go's event has our texts in invalid UTF-8, which JSON cannot represent."""
    compared = [each for each in events if each["type"] != "tx"]
    number = int(found["event"])
    if number >= len(compared) or r"\x" not in found["theirs"]:
        return False
    ours = [(each["key"], each["value"]) for each in compared[number]["attributes"]]
    return ours == list(_attributes(found["theirs"]))


def _attributes(text: str) -> Iterator[tuple[str, str]]:
    for found in _ATTRIBUTE.finditer(text):
        yield found["key"], literal_eval(f'"{found["value"]}"')  # Go quotes as Python does

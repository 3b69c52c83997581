"""ibc-go's judgement of transcripts: what its program `replay` prints, read line by line."""

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ibc_module import errors
from ibc_module.conformance.transcripts.differences import explain

_CODE = re.compile(
    r"^(?P<file>[^:]+): step (?P<step>\d+) \S+ height \d+ (?P<kind>tx|action) (?P<at>\d+)\b[^:]*: "
    r"code: file \S+, ibc-go (?P<codespace>[^/ ]+)/(?P<code>\d+) (?P<text>.*)\Z"
)
_FILE = re.compile(r"^(?P<file>[^:]+): (?:\d+ skipped, )?(?P<passed>\d+) passed, (?P<failed>\d+) failed\Z")

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
    what is left in the files passes ibc-go's judgement as it stands.

    Raises:
        RuntimeError: the program does not run to its end.
    """
    for path, document in documents.items():
        write(path, document)
    explained: Counter[str] = Counter()
    touched = set()
    for line in _run(program, documents):
        found = _reason(line, documents)
        if found is not None:
            path, outcome, reason = found
            del outcome["codespace"]
            touched.add(path)
            explained[reason] += 1
    for path in touched:
        write(path, documents[path])
    passed, failed = 0, []
    for line in _run(program, documents):
        summary = _FILE.match(line)
        if summary is not None:
            passed += int(summary["passed"])
        elif line != _last(passed, failed):
            failed.append(line)
    return Verdict(passed, failed, explained)


def _last(passed: int, failed: list[str]) -> str:
    return f"{passed} passed, {len(failed)} failed"


def write(path: Path, document: Mapping[str, Any]) -> None:
    """Writes a transcript: the same bytes for the same transcript."""
    path.write_text(json.dumps(document, indent=0, sort_keys=True) + "\n", encoding="utf-8")


def _run(program: Path, paths: Iterable[Path]) -> list[str]:
    names = [str(path) for path in paths]
    done = subprocess.run([program, *names], capture_output=True, check=False)  # noqa: S603
    if done.returncode not in {0, 1}:
        raise RuntimeError(f"{program}: exit code {done.returncode}: {done.stderr[-2000:]!r}")
    return done.stdout.decode("utf-8", "replace").rstrip("\n").split("\n")


def _reason(line: str, documents: Documents) -> tuple[Path, dict[str, Any], str] | None:
    """The refusal that a line is about, and why it may differ; None where it may not."""
    found = _CODE.match(line)
    if found is None:
        return None
    path = next(path for path in documents if f"{path.parent.name}/{path.name}" == found["file"])
    step = documents[path]["steps"][int(found["step"])]
    outcome = step["txs" if found["kind"] == "tx" else "actions"][int(found["at"])]
    ours = getattr(errors, outcome.get("error_type", ""), None)
    if ours is None:
        return None
    reason = explain(found["codespace"], int(found["code"]), found["text"], ours)
    return None if reason is None else (path, outcome, reason)

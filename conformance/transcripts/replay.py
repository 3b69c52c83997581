"""Replay of transcripts; each transaction, action, CheckTx and block is a case."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.case import CaseResult, Cases, run_file
from conformance.files import json_in
from conformance.transcripts.blocks import Case, case, run_check, run_step
from conformance.transcripts.chain import ReplayChain
from conformance.transcripts.document import ChainStart, Transcript
from conformance.transcripts.reader import is_transcript, load, read

__all__ = ["Replay", "cases_of", "load"]

FAMILY = "ibcgo-transcripts"
_BEFORE_ALL = -1


def cases_of(path: Path) -> Cases | None:
    """Return the cases of one file, or None if it is not a transcript."""
    data = json_in(path)
    return _replayed(data) if is_transcript(data) else None


class Replay:
    """Replay of a single transcript."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def run(self) -> list[CaseResult]:
        """Run all cases; a malformed file yields one failed case."""
        return run_file(FAMILY, self._path.parent, self._path, cases_of)


def _replayed(data: dict[str, Any]) -> Cases:
    transcript = read(data)
    chains = _Chains(transcript)
    yield from chains.starts()
    yield from chains.asked(_BEFORE_ALL)
    for step in transcript.steps:
        yield from run_step(chains.of(step.chain, step.height - 1), step)
        yield from chains.asked(step.number)
    numbers = {_BEFORE_ALL, *(step.number for step in transcript.steps)}
    for number, check in enumerate(transcript.checks):
        if check.after_step not in numbers:
            yield case(f"check {number}", [f"there is no step {check.after_step} that it comes after"])


class _Chains:
    """The chains of a transcript. A chain without a recorded start is created as a new chain."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._chains = {each.chain_id: self._start(each) for each in transcript.chains}

    def _start(self, start: ChainStart) -> ReplayChain:
        return ReplayChain(start, self._transcript.authority, app=self._transcript.app)

    def of(self, name: str, height: int) -> ReplayChain:
        """Return the chain with this initial name."""
        if name not in self._chains:
            self._chains[name] = self._start(ChainStart(name, max(height, 1), 0, {}, ()))
        return self._chains[name]

    def starts(self) -> Iterator[Case]:
        """Compare the roots and app hashes of initial states, where recorded."""
        for start in self._transcript.chains:
            chain = self._chains[start.chain_id]
            told = {name: each.root for name, each in start.stores.items() if each.root}
            differs = chain.roots.start(start.commit, told)
            if told or start.commit:
                yield case(f"{start.chain_id} start", differs)

    def asked(self, after: int) -> Iterator[Case]:
        """Compare the CheckTx results after one step."""
        for number, check in enumerate(self._transcript.checks):
            if check.after_step == after:
                name = f"check {number} {check.chain} ({check.note})"
                yield run_check(self.of(check.chain, 1), name, check)

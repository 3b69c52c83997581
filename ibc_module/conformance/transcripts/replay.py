"""Replays one transcript and says where our chains differ from ibc-go's."""

import gzip
import json
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ibc_module.conformance.case import CaseResult
from ibc_module.conformance.transcripts import actions, compare
from ibc_module.conformance.transcripts.chain import ReplayChain
from ibc_module.core.overlay import BlockContext
from ibc_module.errors import IbcError

FAMILY = "ibcgo-transcripts"


def run(folder: Path) -> list[CaseResult]:
    """Every transcript in `folder`; one case a transaction, an action and a block."""
    results: list[CaseResult] = []
    for path in sorted(folder.iterdir()):
        if path.name.endswith((".json", ".json.gz")):
            results += Replay(path).run()
        elif path.name not in {"README.md", "ORIGIN.md"}:
            results.append(CaseResult(FAMILY, path.name, "file", False, "not a transcript"))
    return results


def load(path: Path) -> dict[str, Any]:
    """A transcript's JSON.

    Raises:
        ValueError: it is not one.
    """
    raw = path.read_bytes()
    document = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)
    if not isinstance(document, dict) or "steps" not in document:
        raise ValueError("no steps")
    return document


class Replay:
    """The chains of one transcript, step by step."""

    def __init__(self, path: Path) -> None:
        self._file = path.name
        self._path = path

    def run(self) -> list[CaseResult]:
        """All cases of the transcript."""
        try:
            document = load(self._path)
        except (ValueError, OSError, EOFError) as error:
            return [self._case("file", [f"cannot be read: {error}"])]
        chains = {c["chain_id"]: ReplayChain(c, document["authority"]) for c in document["chains"]}
        results = [self._initial(c, chains[c["chain_id"]]) for c in document["chains"]]
        for step in document["steps"]:
            results += self._step(chains[step["chain"]], step)
            results += self._checks(chains, document.get("check_tx") or (), step["n"])
        return results

    def _case(self, case: str, differences: list[str]) -> CaseResult:
        return CaseResult(FAMILY, self._file, case, not differences, "; ".join(differences)[:2000])

    def _initial(self, recorded: Mapping[str, Any], chain: ReplayChain) -> CaseResult:
        root = chain.store.root("ibc").hex().upper()
        wanted = recorded["stores"]["ibc"]["root"]
        return self._case(
            f"{chain.chain_id} start", [] if root == wanted else [f"root {root}, recorded {wanted}"]
        )

    def _checks(
        self, chains: Mapping[str, ReplayChain], recorded: Iterable[Mapping[str, Any]], after: int
    ) -> Iterator[CaseResult]:
        """What the mempools said after one step."""
        for number, check in enumerate(recorded):
            if check["after_step"] == after:
                name = f"check {number} {check['chain']} ({check.get('note', '')})"
                yield self._case(name, list(_check(chains[check["chain"]], check)))

    def _step(self, chain: ReplayChain, step: Mapping[str, Any]) -> Iterator[CaseResult]:
        validators = bytes.fromhex(step["next_validators_hash"])
        ctx = chain.context(step["height"], step["time_ns"], validators)
        name = f"step {step['n']} {chain.chain_id} height {step['height']}"
        for number, action in enumerate(step.get("actions") or ()):
            yield self._case(f"{name} action {number}", list(_action(chain, ctx, action)))
        chain.pipeline.begin_block(ctx)
        differences = list(compare.block_events(step.get("block_events"), ctx.take_events()))
        for number, tx in enumerate(step.get("txs") or ()):
            yield self._case(f"{name} tx {number} ({tx.get('note', '')})", list(_tx(chain, ctx, tx)))
        chain.pipeline.end_block(ctx)
        if any(_is_host_tx(tx) for tx in step.get("txs") or ()):
            for change in step.get("balance_changes") or ():
                chain.adopt_balance(ctx, change["address"], change["denom"], int(change["amount"]))
        differences += _writes(ctx, step)
        chain.commit(ctx)
        yield self._case(f"{name} block", differences + list(_after(chain, step)))


def _action(chain: ReplayChain, ctx: BlockContext, recorded: Mapping[str, Any]) -> Iterator[str]:
    try:
        with ctx.branch():
            result = actions.run(chain, ctx, recorded["action"], recorded["args"])
    except IbcError as error:
        ctx.take_events()
        if recorded["ok"]:
            yield f"refused here: {error}"
        else:
            yield from compare.refusals(recorded, recorded["error"], error)
        return
    emitted = ctx.take_events()
    if not recorded["ok"]:
        yield f"accepted here, recorded {recorded['codespace']}/{recorded['code']}"
        return
    wanted = recorded.get("result") or {}
    if result != wanted:
        yield f"result {result}, recorded {wanted}"
    yield from compare.events(recorded.get("events"), emitted)


def _is_host_tx(recorded: Mapping[str, Any]) -> bool:
    return not all(msg["type_url"].startswith("/ibc.") for msg in recorded["msgs"])


def _tx(chain: ReplayChain, ctx: BlockContext, recorded: Mapping[str, Any]) -> Iterator[str]:
    if _is_host_tx(recorded):
        return  # staking: never touches what we compare, but balances
    messages = [(m["type_url"], b64decode(m["value_b64"])) for m in recorded["msgs"]]
    got = chain.deliver(ctx, messages)
    if recorded["code"]:
        yield from compare.refusals(recorded, recorded.get("log") or "", got.error)
        return
    if got.error is not None:
        yield f"refused here: {got.error.codespace}/{got.error.code} {got.error}"
        return
    responses = [(r["type_url"], b64decode(r["value_b64"])) for r in recorded.get("msg_responses") or ()]
    if responses != list(got.responses):
        yield f"responses {got.responses}, recorded {responses}"
    yield from compare.events(recorded.get("events"), got.events)


def _check(chain: ReplayChain, recorded: Mapping[str, Any]) -> Iterator[str]:
    messages = [(m["type_url"], b64decode(m["value_b64"])) for m in recorded["msgs"]]
    got = chain.check(messages, recorded["recheck"])
    if recorded["code"]:
        yield from compare.refusals(recorded, recorded.get("log", ""), got.error)
    elif got.error is not None:
        yield f"refused here: {got.error.codespace}/{got.error.code} {got.error}"


def _writes(ctx: BlockContext, step: Mapping[str, Any]) -> Iterator[str]:
    yield from compare.changes(step.get("ibc_store_changes"), ctx.writes("ibc"))
    other = step.get("other_store_changes") or {}
    for name in ("transfer", "upgrade"):
        yield from compare.changes(other.get(name), ctx.writes(name))


def _after(chain: ReplayChain, step: Mapping[str, Any]) -> Iterator[str]:
    root = chain.store.root("ibc").hex().upper()
    if root != step["ibc_store_root"]:
        yield f"root {root}, recorded {step['ibc_store_root']}"
    ctx = chain.context(step["height"] + 1, step["time_ns"])
    for change in step.get("balance_changes") or ():
        got = chain.balance(ctx, change["address"], change["denom"])
        if got != int(change["amount"]):
            yield f"balance of {change['address']} in {change['denom']}: {got}, recorded {change['amount']}"

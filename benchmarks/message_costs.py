"""Cost of each message of a transcript, from wire bytes to writes: JSON lines, CPU microseconds.

python -m benchmarks.message_costs FILE  (a separate process, so that all caches are cold)
"""

import gc
import json
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from statistics import median

from conformance.transcripts import actions
from conformance.transcripts.chain import ReplayChain
from conformance.transcripts.document import ChainStart, Step, Tx
from conformance.transcripts.reader import GOVERNANCE, load, read
from pyibc.core.errors import IbcError
from pyibc.core.host.overlay import BlockContext

_COLLECT_EVERY = 64
"""Messages between garbage collections. A collection evicts the processor's caches, so the sample after it is
not used. ibc-go's program does the same."""


def costs(path: Path) -> dict[str, float]:
    """Return median CPU microseconds by message type, or by transaction label if there are labels."""
    samples: dict[str, list[float]] = {}
    transcript = read(load(path))
    chains = {each.chain_id: ReplayChain(each, transcript.authority) for each in transcript.chains}
    gc.disable()
    taken = 0
    is_labelled = any(tx.label for step in transcript.steps for tx in step.txs)
    for step in transcript.steps:
        if step.chain not in chains:
            chains[step.chain] = ReplayChain(ChainStart(step.chain, step.height - 1, 0, {}, ()), GOVERNANCE)
        for tx, kind, spent in _block(chains[step.chain], step):
            taken += 1
            if taken % _COLLECT_EVERY == 0:
                gc.collect()
            samples.setdefault(tx.label if is_labelled else kind, []).append(spent)
    samples.pop("", None)
    return {kind: median(each) for kind, each in samples.items()}


def _block(chain: ReplayChain, step: Step) -> Iterator[tuple[Tx, str, float]]:
    ctx = chain.context(step.height, step.time_ns, step.next_validators_hash, step.app_hash)
    for action in step.actions:
        with suppress(IbcError), ctx.branch():
            actions.run(chain, ctx, action)
    chain.pipeline.begin_block(ctx)
    for number, tx in enumerate(step.txs):
        if tx.refusal is not None or not all(chain.knows(each.type_url) for each in tx.messages):
            continue
        chain.accounts.tx_index = number
        for type_url, raw in tx.messages:
            yield tx, type_url.rpartition(".Msg")[2], _timed(chain, ctx, type_url, raw)
    chain.pipeline.end_block(ctx)
    chain.commit(ctx, step.version)


def _timed(chain: ReplayChain, ctx: BlockContext, type_url: str, raw: bytes) -> float:
    route = chain.routes[type_url]
    start = time.process_time_ns()
    with ctx.branch():
        route.deliver(ctx, route.decode(raw))
    spent = time.process_time_ns() - start
    ctx.take_events()
    return spent / 1000


if __name__ == "__main__":
    for kind, us in costs(Path(sys.argv[1])).items():
        print(json.dumps({"op": kind, "us": us}))

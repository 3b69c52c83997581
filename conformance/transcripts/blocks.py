"""Replay of one step of a transcript, with the differences of each case."""

from collections.abc import Iterable, Iterator, Sequence

from conformance.case import Check as CaseCheck
from conformance.case import LeftOut, Mismatch
from conformance.transcripts import actions, compare
from conformance.transcripts.chain import ReplayChain
from conformance.transcripts.document import Action, Check, Message, Step, Tx
from conformance.transcripts.fields import Malformed
from pyibc.core.errors import IbcError
from pyibc.core.host.overlay import BlockContext

Case = tuple[str, CaseCheck | LeftOut]
_LIMIT = 2000
MINTED = "stake"
"""Denomination that the recorded host mints in each block, before all compared begin blockers."""
_HOST = LeftOut(
    "messages of the recorded host's own modules, which touch nothing that is compared but balances"
)


def case(name: str, differences: Iterable[str]) -> Case:
    """Return a case that passes if there are no differences."""
    found = "; ".join(differences)[:_LIMIT]

    def check() -> None:
        if found:
            raise Mismatch(found)

    return name, check


def run_step(chain: ReplayChain, step: Step) -> Iterator[Case]:
    """Replay one block: its actions, begin block, transactions, commit."""
    ctx = chain.context(step.height, step.time_ns, step.next_validators_hash, step.app_hash)
    name = f"step {step.number} {chain.chain_id} height {step.height}"
    for number, action in enumerate(step.actions):
        yield case(f"{name} action {number} {action.name}", _action(chain, ctx, action))
    chain.adopt_supply(ctx, [each for each in step.supply if each.denom == MINTED])
    chain.pipeline.begin_block(ctx)
    differences = list(compare.block_events(step.events, ctx.take_events()))
    for number, tx in enumerate(step.txs):
        yield _tx_case(f"{name} tx {number} ({tx.note})", chain, ctx, tx, number)
    chain.pipeline.end_block(ctx)
    is_shown = not any(is_of_host(chain, tx.messages) for tx in step.txs)
    if not is_shown:
        _adopt(chain, ctx, step)
    differences += _changes(chain, ctx, step)
    if is_shown and chain.balances_known:
        differences += compare.accounts(step.accounts, chain.new_accounts(ctx))
        differences += _supplies(chain, ctx, step)
    chain.commit(ctx, step.version)
    differences += _after(chain, step)
    if differences or step.changes or step.root or step.balances or step.commit or step.events is not None:
        yield case(f"{name} block", differences)


def is_of_host(chain: ReplayChain, messages: Sequence[Message]) -> bool:
    """Return whether a transaction contains messages of the recorded host that we do not execute."""
    return not all(chain.knows(message.type_url) for message in messages)


def _tx_case(name: str, chain: ReplayChain, ctx: BlockContext, tx: Tx, index: int) -> Case:
    if is_of_host(chain, tx.messages):
        return name, _HOST
    return case(name, _tx(chain, ctx, tx, index))


def _adopt(chain: ReplayChain, ctx: BlockContext, step: Step) -> None:
    """Take over recorded balances after messages of the host.

    If the recording is incomplete, balances are unknown from then on.
    """
    chain.balances_known = chain.balances_known and step.is_complete
    if chain.balances_known:
        for balance in step.balances:
            chain.adopt_balance(ctx, balance)


def _action(chain: ReplayChain, ctx: BlockContext, recorded: Action) -> Iterator[str]:
    try:
        with ctx.branch():
            sequence = actions.run(chain, ctx, recorded)
    except IbcError as error:
        ctx.take_events()
        yield from compare.refusals(recorded.refusal, error)
        return
    except Malformed as error:
        yield str(error)
        return
    emitted = ctx.take_events()
    if recorded.refusal is not None:
        yield from compare.refusals(recorded.refusal, None)
        return
    if recorded.sequence is not None and sequence != recorded.sequence:
        yield f"sequence {sequence}, recorded {recorded.sequence}"
    if recorded.events or recorded.name != "authority_msg":  # the recorder has no events for these
        yield from compare.events(recorded.events, emitted)


def _tx(chain: ReplayChain, ctx: BlockContext, recorded: Tx, index: int) -> Iterator[str]:
    got = chain.deliver(ctx, list(recorded.messages), index, recorded.gas_limit)
    differences = list(compare.refusals(recorded.refusal, got.error))
    if differences:
        yield from differences
        return
    if recorded.responses is not None and recorded.responses != got.responses:
        yield f"responses {got.responses}, recorded {recorded.responses}"
    yield from compare.events(recorded.events, got.events)


def run_check(chain: ReplayChain, name: str, recorded: Check) -> Case:
    """Compare a CheckTx result."""
    if is_of_host(chain, recorded.messages):
        return name, _HOST
    refused = chain.check(list(recorded.messages), recorded.recheck)
    return case(name, compare.refusals(recorded.refusal, refused))


def _changes(chain: ReplayChain, ctx: BlockContext, step: Step) -> Iterator[str]:
    held = chain.store.views()
    for name, recorded in step.changes.items():
        if name not in held:
            yield from [f"no store {name} here"] if recorded else []
        elif step.is_complete:
            yield from compare.writes(recorded, ctx.writes(name))
        else:
            yield from compare.effects(recorded, ctx.writes(name), held[name].get)


def _supplies(chain: ReplayChain, ctx: BlockContext, step: Step) -> Iterator[str]:
    for each in step.supply:
        got = chain.bank.supply(ctx, each.denom)
        if got != each.amount:
            yield f"supply of {each.denom}: {got}, recorded {each.amount}"


def _after(chain: ReplayChain, step: Step) -> Iterator[str]:
    yield from chain.roots.step(step.commit, {"ibc": step.root} if step.root else {})
    if not chain.balances_known:
        return
    ctx = chain.context(step.height + 1, step.time_ns)
    for change in step.balances:
        got = chain.balance(ctx, change.address, change.denom)
        if got != change.amount:
            yield f"balance of {change.address} in {change.denom}: {got}, recorded {change.amount}"

"""Comparison of recorded results with ours; differences are reported as text."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from conformance.transcripts.differences import explain
from conformance.transcripts.document import Account, Events, Message, Refusal, Write
from pyibc.chain.accounts.keeper import MODULE_TYPE_URL
from pyibc.core.errors import IbcError
from pyibc.core.host.block import Event
from pyibc.proto.cosmos.auth.v1beta1.auth_pb2 import ModuleAccount


def refusals(recorded: Refusal | None, ours: IbcError | None) -> Iterator[str]:
    """Return differences between a recorded outcome and ours; None means success."""
    if recorded is None:
        if ours is not None:
            yield f"refused here: {ours.codespace}/{ours.code} {ours}"
        return
    text = f"{recorded.codespace}/{recorded.code} {(recorded.text or '')[:200]}".rstrip()
    if ours is None:
        yield f"accepted here, recorded {text}"
    elif recorded.codespace and not _same(recorded, ours):
        yield f"recorded {text}, ours {ours.codespace}/{ours.code} {ours}"


def _same(recorded: Refusal, ours: IbcError) -> bool:
    codes = recorded.codespace, recorded.code
    return (
        codes == (ours.codespace, ours.code)
        or explain(*codes, recorded.text, type(ours), str(ours)) is not None
    )


FREE_TEXT = frozenset({"ibccallbackerror-error"})
"""Attributes whose value is an error text (in Go sometimes a pointer); only key and position are compared."""
_POINTER = "{pointer}"
"""Placeholder that the recorder writes for a Go pointer, which differs in every run."""
_PANIC = " panicked with: "
"""Prefix of a contract's panic text. Here an exception's name follows, since no event contains its text."""


def events(recorded: Events | None, ours: Iterable[Event]) -> Iterator[str]:
    """Return differences in the events of a transaction or action.

    Events of type `tx` are the ante handler's and are ignored. The `message` event with the action and the
    attribute `msg_index`, which the SDK adds, are compared only if the recording has them.
    """
    if recorded is None:
        return
    has_action = any(_is_action(each) for each in recorded)
    has_index = any(key == "msg_index" for _, pairs in recorded for key, _ in pairs)
    theirs = [each for each in recorded if each[0] != "tx"]
    mine = [
        (name, pairs if has_index else tuple(pair for pair in pairs if pair[0] != "msg_index"))
        for name, pairs in ours
        if name != "tx" and (has_action or not _is_action((name, pairs)))
    ]
    yield from _differing(theirs, mine)


def _is_action(event: Event) -> bool:
    return event[0] == "message" and any(key == "action" for key, _ in event[1])


def block_events(recorded: Events | None, ours: Iterable[Event]) -> Iterator[str]:
    """Return differences in begin block events; `message` events are ignored."""
    if recorded is None:
        return
    theirs = [each for each in recorded if each[0] not in {"message", "tx"}]
    mine = [(name, (*pairs, ("mode", "BeginBlock"))) for name, pairs in ours if name != "message"]
    yield from _differing(theirs, mine)


def _differing(theirs: Sequence[Event], mine: Sequence[Event]) -> Iterator[str]:
    for number, (want, got) in enumerate(zip(theirs, mine, strict=False)):
        if not _alike(want, got):
            yield f"event {number}: recorded {want}, ours {got}"
            return
    if len(theirs) != len(mine):
        yield f"{len(theirs)} events recorded, ours {len(mine)}: {[e[0] for e in mine]}"


def _alike(want: Event, got: Event) -> bool:
    if want[0] != got[0] or [key for key, _ in want[1]] != [key for key, _ in got[1]]:
        return False
    pairs = zip(want[1], got[1], strict=True)
    return all(a == b or key in FREE_TEXT or _POINTER in a or _same_panic(a, b) for (key, a), (_, b) in pairs)


def _same_panic(want: str, got: str) -> bool:
    begins, panic, text = want.partition(_PANIC)
    mine, _, name = got.partition(_PANIC)
    kind = ": callback panic"
    return bool(panic) and begins == mine and text.endswith(kind) and name.endswith(kind)


Changes = Sequence[tuple[bytes, bytes | None]]
Before = Callable[[bytes], bytes | None]
"""Returns the value of a key before the block."""


def writes(recorded: Sequence[Write], ours: Changes) -> Iterator[str]:
    """Return differences in the writes to a tree, including writes of unchanged values (new nodes)."""
    wanted, got = dict(recorded), dict(ours)
    for key in sorted(wanted.keys() | got.keys()):
        if key not in got:
            yield f"{key!r}: not written here"
        elif key not in wanted:
            yield f"{key!r}: written here only"
        elif wanted[key] != got[key]:
            yield f"{key!r}: recorded {_short(wanted[key])}, ours {_short(got[key])}"


def effects(recorded: Sequence[Write], ours: Changes, before: Before) -> Iterator[str]:
    """Return differences in the resulting state; writes of unchanged values are ignored."""
    wanted, got = dict(recorded), dict(ours)
    for key in sorted(wanted.keys() | got.keys()):
        old = before(key)
        want, have = wanted.get(key, old), got.get(key, old)
        if want != have:
            yield f"{key!r}: recorded {_short(want)}, ours {_short(have)}"


def accounts(recorded: Sequence[Account] | None, ours: Iterable[tuple[str, int, Message]]) -> Iterator[str]:
    """Return differences in the accounts a block created; permissions of module accounts are ignored."""
    if recorded is None:
        return
    wanted = {each.address: (each.number, _without_permissions(each.packed)) for each in recorded}
    got = {address: (number, packed) for address, number, packed in ours}
    for address in sorted(wanted.keys() | got.keys()):
        if wanted.get(address) != got.get(address):
            yield f"account {address}: recorded {wanted.get(address)}, ours {got.get(address)}"


def _without_permissions(packed: Message) -> Message:
    if packed.type_url != MODULE_TYPE_URL:
        return packed
    account = ModuleAccount.FromString(packed.value)
    account.ClearField("permissions")
    return Message(packed.type_url, account.SerializeToString())


def _short(value: bytes | None) -> str:
    return "deleted" if value is None else value.hex()[:160]

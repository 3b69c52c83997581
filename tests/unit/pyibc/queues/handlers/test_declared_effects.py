"""What each handler's docstring declares, against what a block saw when it ran."""

import inspect
import re

import pytest

from conformance.kit.outcomes import must
from conformance.kit.queue.pair import QueuePair
from conformance.kit.staged_block import StagedBlock
from pyibc.queues.handlers import advance, handle_receipt, receive, register, send, timeout
from pyibc.queues.messages import MsgRegister
from pyibc.queues.types import End, parse_key

USED_UP = "clients/{id}/ (by a single-use proof)"


def declared(module):
    text = re.sub(r"\s+", " ", inspect.getdoc(module.execute))
    found = re.findall(r"(Runs on|Proves|Writes|Emits): (.*?)\.(?= |$)", text)
    return dict(found)


def family(key):
    """The family of keys in the queue store that a key belongs to."""
    found = parse_key(key)
    if found is None:
        return key.split(b"/")[0].decode()
    return {"SEND": "outgoing", "RECEIPT": "incoming"}[found.name.role.name]


def changed(attempt):
    """Families written and deleted: head and tail go with their elements."""
    own = {key: value for (store, key), value in attempt.writes.items() if store == "queue"}
    elements = {k: v for k, v in own.items() if (p := parse_key(k)) is None or p.index is not None}
    return (
        {family(key) for key, value in elements.items() if value is not None},
        {family(key) for key, value in elements.items() if value is None},
        {family(key) for key in own},
    )


@pytest.fixture(scope="module")
def handled():
    pair = QueuePair.registered()
    must(pair.send(pair.path))
    pair.sync()
    must(pair.b.submit(pair.receive(pair.path, [0])))
    pair.sync()
    must(pair.a.submit(pair.handle(pair.path, [0])))
    pair.sync()
    yield pair
    pair.close()


def run(pair, module, handled):
    path = pair.path
    messages = {
        send: (pair.a, lambda: pair.send_message(path, b"x")),
        receive: (pair.b, lambda: pair.receive(path, [4])),
        handle_receipt: (pair.a, lambda: pair.handle(path, [1])),
        timeout: (pair.b, lambda: pair.timeout(path.back(), 0)),
        advance: (handled.b, lambda: handled.advance(handled.path)),
    }
    side, message = messages[module]
    return StagedBlock(side.chain).attempt(message())


EFFECTS = {
    send: ("A", "nothing", "outgoing", "queue_send"),
    receive: ("B", "A's outgoing", "incoming", "queue_receive"),
    handle_receipt: ("A", "B's incoming", "deletes outgoing", "queue_handle_receipt"),
    timeout: ("A", "the absence of B's receipt", "deletes outgoing", "queue_timeout"),
    advance: ("B", "A's outgoing", "deletes incoming", "queue_advance"),
}


@pytest.mark.parametrize("module", EFFECTS)
def test_writes_and_events_are_as_declared(pair, module, handled):
    runs_on, proves, writes, emits = EFFECTS[module]
    suffix = "" if proves == "nothing" else f"; {USED_UP}"
    assert declared(module) == {
        "Runs on": runs_on,
        "Proves": proves,
        "Writes": writes + suffix,
        "Emits": emits,
    }
    attempt = run(pair, module, handled)
    assert attempt.error is None
    written, deleted, touched = changed(attempt)
    name = writes.removeprefix("deletes ")
    assert (written, deleted) == ((set(), {name}) if "deletes" in writes else ({name}, set()))
    assert touched == {name}
    assert {kind for kind, _ in attempt.events} - {"scripted_received"} == {emits}


def test_a_registration_writes_what_it_declares(pair):
    says = declared(register)
    assert says == {
        "Runs on": "A, B",
        "Proves": "nothing",
        "Writes": "registration, local (channels), connection (channels), queues",
        "Emits": "queue_register",
    }
    local, remote = End("alpha-1", "connection-5", "channel-5"), End("beta-1", "connection-6", "channel-6")
    message = MsgRegister(pair.a.client_id, local, remote, b"", pair.a.relayer.signer)
    attempt = StagedBlock(pair.a.chain).attempt(message)
    assert changed(attempt)[2] == {"registration", "local", "connection", "outgoing", "incoming"}
    assert [kind for kind, _ in attempt.events] == ["queue_register"]

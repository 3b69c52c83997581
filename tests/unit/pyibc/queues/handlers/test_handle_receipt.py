"""What handle_receipt does: pop, then commit or roll back, in order; a batch under one header."""

from conformance.kit.scripted_app import REFUSED, ScriptedRefusal
from pyibc.queues.packet import TIMED_OUT
from pyibc.queues.types import element_key


def test_each_is_committed_or_rolled_back_in_order(pair, path, at):
    attempt = at.a.attempt(pair.handle(path, [1, 2, 3]))
    assert attempt.error is None
    calls = pair.a.mock.app.calls
    assert [(name, packet.data, *rest) for name, (packet, *rest) in calls] == [
        ("on_commit", b"received", b"ok"),
        ("on_rollback", REFUSED, ScriptedRefusal.codespace, ScriptedRefusal.code),
        ("on_rollback", b"late", TIMED_OUT.codespace, TIMED_OUT.code),
    ]
    assert pair.a.queues.queues.head(at.a.ctx, path.outgoing) == 4
    for index in (1, 2, 3):
        assert attempt.writes["queue", element_key(path.outgoing, index)] is None


def test_its_events_tell_how_each_ended(pair, path, at):
    attempt = at.a.attempt(pair.handle(path, [1, 2]))
    assert [kind for kind, _ in attempt.events] == ["queue_handle_receipt"] * 2
    first, second = (dict(pairs) for _, pairs in attempt.events)
    assert first == {
        "source": path.a.text,
        "destination": path.b.text,
        "sequence": "1",
        "type": "mock",
        "max_height": "0-0",
        "max_time": "0",
        "client_id": pair.a.client_id,
        "result_hex": b"ok".hex(),
        "codespace": "",
        "code": "0",
    }
    assert (second["codespace"], second["code"], second["result_hex"]) == ("scripted", "7", "")


def test_the_packet_is_gone_before_its_application_is_called(pair, path, at):
    """H5: nothing that the application does can have it handled again."""
    heads = []

    def look(ctx, packet, result):
        heads.append(int.from_bytes(ctx.reader("queue").get(path.outgoing + b"head"), "big"))

    pair.a.mock.app.script["on_commit"] = look
    at.a.run(pair.handle(path, [1]))
    assert heads == [2]

"""The process that serves an application ends when it is told to, whenever that is."""

from threading import Thread

from abci_server.server import Server, run


def test_no_wait_is_without_an_end(app, monkeypatch, tmp_path):
    """A signal that comes just before the wait does not end it: the next look at signals is what hears it."""
    waits, ended, real = [], [], Server.wait

    def wait(server, timeout_s=None):
        waits.append(timeout_s)
        if len(waits) == 3:
            ending = Thread(target=server.end)
            ending.start()
            ended.append(ending)
        return real(server, 0.01)

    monkeypatch.setattr(Server, "wait", wait)
    assert run(app, f"unix://{tmp_path}/app.sock") == 0
    ended[0].join()
    assert len(waits) >= 3
    assert None not in waits

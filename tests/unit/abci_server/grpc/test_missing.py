"""Where what gRPC needs is not installed."""

import pytest

from abci_server import Server
from abci_server.errors import NoHttp2


def test_without_h2_the_server_says_what_to_install(app, monkeypatch, tmp_path):
    monkeypatch.setattr("abci_server.server.find_spec", lambda _: None)
    with pytest.raises(NoHttp2, match="pip install 'pyibc"):
        Server(app, f"unix://{tmp_path}/app.sock", transport="grpc")
    assert not [*tmp_path.iterdir()]
    server = Server(app, f"unix://{tmp_path}/app.sock")
    server.stop()

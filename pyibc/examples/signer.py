"""Example of a remote signer (docs/relayer-money.md): it has the keys, and signs relayed packets alone.

python -m pyibc.examples.signer /run/signer.sock hub=hub.key
"""

import json
import os
import sys
from base64 import b64decode, b64encode
from collections.abc import Mapping
from socketserver import StreamRequestHandler, ThreadingUnixStreamServer
from typing import Any

from pyibc.relayer import KEY_TYPES, read_wallet
from pyibc.wire import message_class

ALLOWED = ("/ibc.core.client.v1.MsgUpdateClient", "/ibc.core.channel.")
"""Beginnings of the types of messages that are signed."""
MAX_REQUEST = 1 << 24
_SIGN_DOC: Any = message_class("cosmos.tx.v1beta1.SignDoc")
_TX_BODY: Any = message_class("cosmos.tx.v1beta1.TxBody")


class Signer(ThreadingUnixStreamServer):
    """Server of the keys in some files, by name."""

    def __init__(self, path: str, files: Mapping[str, str]) -> None:
        """Listen at the socket `path`, which only this user may open."""
        before = os.umask(0o177)
        try:
            super().__init__(path, _Request)
        finally:
            os.umask(before)
        self._files = files

    def answer(self, asked: dict[str, str]) -> dict[str, str]:
        """Return the public key, or the signature of a transaction."""
        wallet = read_wallet(self._files[asked["key"]], "cosmos", key_type=KEY_TYPES[asked["type"]])
        if "sign_bytes" not in asked:
            return {"public_key": b64encode(wallet.public_key).decode()}
        data = b64decode(asked["sign_bytes"])
        messages = _TX_BODY.FromString(_SIGN_DOC.FromString(data).body_bytes).messages
        if not messages:  # bytes of something else, too, may look like this
            return {"error": "a transaction without messages is not signed"}
        for message in messages:
            if not message.type_url.startswith(ALLOWED):
                return {"error": f"{message.type_url} is not signed"}
        return {"signature": b64encode(wallet.sign(data, asked["chain_id"])).decode()}


class _Request(StreamRequestHandler):
    server: Signer

    def handle(self) -> None:
        asked = json.loads(self.rfile.readline(MAX_REQUEST))
        self.wfile.write(json.dumps(self.server.answer(asked)).encode() + b"\n")


if __name__ == "__main__":
    Signer(sys.argv[1], dict(each.split("=", 1) for each in sys.argv[2:])).serve_forever()

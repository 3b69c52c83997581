"""An attestor: a small HTTP service that signs statements about its node, for clients of type `attestations`.

The protocol is that of `pyibc.relayer.clients.attestations`. The attestor trusts the node that it reads: run
it beside a node that you trust. Any client that reaches its address may ask; it signs only what the node
reports.
"""

from collections.abc import Callable
from http import HTTPStatus
from threading import Lock, Thread
from typing import Self

import msgspec

from light_client.attestations.states import (
    NOTHING,
    PACKET_TAG,
    STATE_TAG,
    AttestedEntry,
    packets_data,
    sign_attestation,
    state_data,
)
from pyibc.core.crypto import ethereum
from pyibc.core.errors import IbcError
from pyibc.core.numbers import MAX_U64
from pyibc.http.bounded import BoundedServer, TimedHandler
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.clients.attestations.service import MAX_BODY, AttestationRequest, AttestationResponse

READ_S = 5.0
"""Timeout in seconds for a request to start, and again for it to arrive completely."""
MAX_CONNECTIONS = 64
"""Maximum number of open connections; more are closed without a response."""
MAX_OF_ONE_CLIENT = 8
"""Maximum number of connections per address. Behind a proxy all clients share one address."""

Signer = Callable[[AttestationRequest], AttestationResponse]


class Refused(Exception):
    """The attestor refuses to sign; the text is the reason."""


class NodeAttestor:
    """Signs statements about one node, with one key."""

    def __init__(self, chain: ChainEndpoint, key: bytes) -> None:
        """Take `key`, a private key of secp256k1, 32 bytes.

        Raises:
            ValueError: the key is malformed.
        """
        self.address = ethereum.own_address(key)
        self._chain, self._key = chain, key
        self._one = Lock()  # an endpoint may be used by one thread only

    def sign(self, question: AttestationRequest) -> AttestationResponse:
        """Return the requested attestation.

        Raises:
            Refused: the question is about another chain, a future block or a value that is not a commitment;
                or the node does not respond.
        """
        with self._one:
            try:
                data, tag = self._data(question)
            except (IbcError, ValueError) as error:
                raise Refused(str(error)[:200]) from None
        proof = sign_attestation([self._key], data, tag)
        return AttestationResponse(data.hex(), proof.signatures[0].hex())

    def _data(self, question: AttestationRequest) -> tuple[bytes, bytes]:
        if question.chain_id != self._chain.chain_id:
            raise Refused(f"this attestor serves {self._chain.chain_id}")
        if question.height > min(self._chain.tip().height, MAX_U64):
            raise Refused(f"block {question.height} does not exist yet")
        if question.paths is None:
            return state_data(question.height, self._chain.block(question.height).time_ns), STATE_TAG
        entries = [self._entry(bytes.fromhex(path), question.height - 1) for path in question.paths]
        return packets_data(question.height, entries), PACKET_TAG

    def _entry(self, path: bytes, height: int) -> AttestedEntry:
        value = self._chain.prove(path, height).value
        if value is None:
            return AttestedEntry(path)
        if len(value) != len(NOTHING) or value == NOTHING:
            raise Refused("the value at the path is not a commitment")
        return AttestedEntry(path, value)


class _Handler(TimedHandler):
    server_version, sys_version = "pyibc-attestor", ""
    idle_s, whole_s = READ_S, READ_S
    server: "AttestorServer"

    def do_POST(self) -> None:  # noqa: N802 - name of the base class
        """Handle one request."""
        size = self.headers.get("Content-Length", "")
        if not (size.isascii() and size.isdigit() and len(size) < 7 and int(size) <= MAX_BODY):
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, {"error": f"more than {MAX_BODY} bytes"})
            return
        try:
            question = msgspec.json.decode(self.rfile.read(int(size)), type=AttestationRequest)
            self._answer(HTTPStatus.OK, self.server.signer(question))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self._answer(HTTPStatus.BAD_REQUEST, {"error": "the body is not an attestor request"})
        except Refused as refusal:
            self._answer(HTTPStatus.UNPROCESSABLE_ENTITY, {"error": str(refusal)})

    def _answer(self, status: HTTPStatus, content: object) -> None:
        body = msgspec.json.encode(content)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True


class AttestorServer(BoundedServer):
    """HTTP server of a signer; as a context manager it serves until the end of the `with` block."""

    def __init__(self, signer: Signer, port: int = 0, host: str = "127.0.0.1") -> None:
        """Listen on `host:port`; port 0 chooses a free one."""
        # guard: h220-any-number-at-once-at-an-attestor {MAX_CONNECTIONS => 10 ** 6}
        #   test_h220_more_connections_than_places_are_closed_unanswered
        super().__init__((host, port), _Handler, MAX_CONNECTIONS, MAX_OF_ONE_CLIENT)
        self.signer = signer
        self._thread = Thread(target=self.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """URL of the server."""
        host, port = self.server_address[:2]
        return f"http://{host!s}:{port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join()

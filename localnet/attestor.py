"""An attestor: a small HTTP service that signs what its node says, for clients of type `attestations`.

What it is asked and answers: `ibc_relayer.attestations.service`. It believes the node that it reads: run it
beside one that you trust. Whoever reaches its address may ask; it signs only what is so.
"""

from collections.abc import Callable
from http import HTTPStatus
from threading import Lock, Thread
from types import TracebackType
from typing import Self

import msgspec

from ibc_core.crypto import ethereum
from ibc_core.errors import IbcError
from ibc_core.numbers import MAX_U64
from ibc_http.bounded import BoundedServer, TimedHandler
from ibc_relayer.attestations.service import MAX_BODY, Question, Signed
from ibc_relayer.endpoint import ChainEndpoint
from light_client.attestations.attested import PACKET_TAG, STATE_TAG
from light_client.attestations.attestor import (
    NOTHING,
    AttestedEntry,
    packets_data,
    sign_attestation,
    state_data,
)

READ_S = 5.0
"""Seconds that a question may take to begin, and those that all of it may take then."""
MAX_CONNECTIONS = 16
"""At once: more are closed unanswered."""

Signer = Callable[[Question], Signed]


class Refused(Exception):
    """The attestor does not sign; its text says why."""


class NodeAttestor:
    """Signs what a node says, with one key."""

    def __init__(self, chain: ChainEndpoint, key: bytes) -> None:
        """`key`: a private key of secp256k1, 32 bytes.

        Raises:
            ValueError: it is malformed.
        """
        self.address = ethereum.own_address(key)
        self._chain, self._key = chain, key
        self._one = Lock()  # an endpoint is for one thread

    def sign(self, question: Question) -> Signed:
        """The attestation that is asked for.

        Raises:
            Refused: it is of another chain, no block yet, no commitment; or the node does not answer.
        """
        with self._one:
            try:
                data, tag = self._data(question)
            except (IbcError, ValueError) as error:
                raise Refused(str(error)[:200]) from None
        proof = sign_attestation([self._key], data, tag)
        return Signed(data.hex(), proof.signatures[0].hex())

    def _data(self, question: Question) -> tuple[bytes, bytes]:
        if question.chain_id != self._chain.chain_id:
            raise Refused(f"this attestor is of {self._chain.chain_id}")
        if question.height > min(self._chain.tip().height, MAX_U64):
            raise Refused(f"there is no block {question.height} yet")
        if question.paths is None:
            return state_data(question.height, self._chain.block(question.height).time_ns), STATE_TAG
        entries = [self._entry(bytes.fromhex(path), question.height - 1) for path in question.paths]
        return packets_data(question.height, entries), PACKET_TAG

    def _entry(self, path: bytes, height: int) -> AttestedEntry:
        value = self._chain.prove(path, height).value
        if value is None:
            return AttestedEntry(path)
        if len(value) != len(NOTHING) or value == NOTHING:
            raise Refused("what stands there is no commitment")
        return AttestedEntry(path, value)


class _Handler(TimedHandler):
    server_version, sys_version = "pyibc-attestor", ""
    idle_s, whole_s = READ_S, READ_S
    server: "AttestorServer"

    def do_POST(self) -> None:  # noqa: N802 - the base class's
        """Answers one question."""
        size = self.headers.get("Content-Length", "")
        if not (size.isascii() and size.isdigit() and len(size) < 7 and int(size) <= MAX_BODY):
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, {"error": f"more than {MAX_BODY} bytes"})
            return
        try:
            question = msgspec.json.decode(self.rfile.read(int(size)), type=Question)
            self._answer(HTTPStatus.OK, self.server.signer(question))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self._answer(HTTPStatus.BAD_REQUEST, {"error": "no question of an attestor"})
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
    """Answers questions with a signer; a context manager, which ends it."""

    def __init__(self, signer: Signer, port: int = 0, host: str = "127.0.0.1") -> None:
        """`port` 0: a free one."""
        # guard: h220-any-number-at-once-at-an-attestor {MAX_CONNECTIONS => 10 ** 6}
        #   test_h220_more_connections_than_places_are_closed_unanswered
        super().__init__((host, port), _Handler, MAX_CONNECTIONS)
        self.signer = signer
        self._thread = Thread(target=self.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """Where it is asked."""
        host, port = self.server_address[:2]
        return f"http://{host!s}:{port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join()

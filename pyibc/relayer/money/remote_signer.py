"""Remote signer: a program that keeps a key, and signs the relayer's transactions (docs/relayer-money.md).

What it signs is verified before it is used. A signer that is slow, down or wrong is an error of its account
(`AccountCannotSign`): other accounts sign instead, and no packet is blamed.
"""

import socket
import time
from base64 import b64decode, b64encode
from contextlib import closing
from http.client import HTTPException

import msgspec

from pyibc.core.crypto import secp256k1
from pyibc.http.reasons import reason_of
from pyibc.relayer.errors import AccountCannotSign, KeyRefused
from pyibc.relayer.money.wallet import SECP256K1, KeyType, Wallet
from pyibc.relayer.rpc.client import printable
from pyibc.relayer.rpc.http_connect import Deadline
from pyibc.relayer.rpc.http_pool import AnswerTooLarge, HttpPool, parse_url, redacted_url

UNIX = "unix:"
"""Prefix of the path of a socket."""
TIMEOUT_S = 5.0
"""Time limit of an answer, in seconds."""
MAX_ANSWER = 4096
"""Maximum size of an answer, bytes."""


class SignerFailed(Exception):
    """The signer gave no answer that can be used; the text has the reason."""


class _Answer(msgspec.Struct, frozen=True):
    public_key: str = ""  # compressed, in base64, as the signature
    signature: str = ""
    error: str = ""


def check_signer(url: str) -> None:
    """Check the address of a signer.

    Raises:
        ValueError: it is neither an http(s) URL nor `unix:` and the absolute path of a socket.
    """
    if url.startswith(f"{UNIX}/") and "\0" not in url:
        return
    if url.startswith(UNIX):
        raise ValueError("a socket is named by its whole path, such as unix:/run/signer.sock")
    parse_url(url)


def shown_signer(url: str) -> str:
    """Return the address of a signer for logs, without credentials."""
    return url if url.startswith(UNIX) else redacted_url(url)


class RemoteWallet(Wallet):
    """Wallet whose private key a signer has."""

    def __init__(self, signer: str, name: str, prefix: str, key_type: KeyType = SECP256K1) -> None:
        """Query the public key of the key `name`.

        Raises:
            KeyRefused: the signer gives no public key.
        """
        self._signer, self._key_name = signer, name
        where = f"{shown_signer(signer)} {name}"
        try:
            public_key = _bytes(self._ask({"key": name, "type": key_type.name}).public_key)
        except SignerFailed as error:
            raise KeyRefused(where, str(error)) from None
        if not secp256k1.is_public_key(public_key):
            raise KeyRefused(where, "the signer gives no compressed public key of secp256k1")
        self._set_public(public_key, prefix, key_type)

    def sign(self, data: bytes, chain_id: str) -> bytes:
        """Return the signature by the signer.

        Raises:
            AccountCannotSign: there is none in time, or it is not of these bytes by this key.
        """
        request = {"key": self._key_name, "type": self.key_type.name, "chain_id": chain_id}
        try:
            signature = _bytes(self._ask({**request, "sign_bytes": b64encode(data).decode()}).signature)
        except SignerFailed as error:
            raise self._trouble(chain_id, str(error)) from None
        # guard: h306-what-a-signer-says-is-sent drop test_h306_a_signature_of_something_else_is_not_used
        if not secp256k1.verify_digest(self.public_key, self.key_type.digest(data), signature):
            raise self._trouble(chain_id, "the signature is not of this transaction by this key, with low s")
        return signature

    def _trouble(self, chain_id: str, reason: str) -> AccountCannotSign:
        text = f"signer {shown_signer(self._signer)}: {reason}"
        return AccountCannotSign(chain_id, self.address.text, text)

    def _ask(self, request: dict[str, str]) -> _Answer:
        body, deadline = msgspec.json.encode(request), Deadline(TIMEOUT_S, time.monotonic)
        try:
            raw = _post(self._signer, body, deadline)
            answer = msgspec.json.decode(raw, type=_Answer)
        except (OSError, HTTPException) as error:
            raise SignerFailed(f"no answer: {reason_of(error)}"[:200]) from None
        except AnswerTooLarge:
            raise SignerFailed(f"an answer of more than {MAX_ANSWER} bytes") from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise SignerFailed("the answer is malformed") from None
        if answer.error:
            raise SignerFailed(f"refused: {printable(answer.error[:200])}")
        return answer


def _bytes(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        return b""


def _post(signer: str, body: bytes, deadline: Deadline) -> bytes:
    if signer.startswith(UNIX):
        return _over_socket(signer.removeprefix(UNIX), body, deadline)
    with closing(HttpPool(parse_url(signer), MAX_ANSWER)) as pool:
        return pool.post(body, deadline, fresh=True).body


def _over_socket(path: str, body: bytes, deadline: Deadline) -> bytes:
    """Send a line, and return the line that follows."""
    found = b""
    with socket.socket(socket.AF_UNIX) as opened:
        opened.settimeout(deadline.remaining())
        opened.connect(path)
        opened.sendall(body + b"\n")
        while b"\n" not in found:
            opened.settimeout(deadline.remaining())
            more = opened.recv(MAX_ANSWER)
            if not more:
                raise ConnectionError("the connection was closed")
            found += more
            # guard: h306-answers-of-a-signer-without-bound drop
            #   test_h306_without_a_newline_an_answer_is_bounded
            if len(found) > MAX_ANSWER:
                raise AnswerTooLarge
    return found

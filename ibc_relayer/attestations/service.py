"""What an attestor is asked, what it answers, and asking it.

A POST with a JSON object. Of a state, `{"chain_id": ..., "height": 7}`; of packets also `"paths"`, a list of
keys of the chain's IBC store in hexadecimal. The answer is `{"attestation_data": ..., "signature": ...}`,
both in hexadecimal. An attestation of height H has the time of block H, and what stood at the paths after
block H - 1, as a header of CometBFT has. A refusal is another status than 200, with `{"error": text}`.
"""

import json
import time
from typing import Annotated, NamedTuple

import msgspec

from ibc_core.crypto.ethereum import ADDRESS_SIZE, SIGNATURE_SIZE, recover
from ibc_relayer.http_pool import AnswerTooLarge, Deadline, HttpPool, public_name, read_url
from light_client.attestations.attested import signed_digest

MAX_PATHS = 32
"""Paths of one attestation."""
MAX_BODY = 1 << 16
"""Bytes of a question and of an answer."""
ANSWER_S = 5.0
"""Seconds that an attestor has."""

_Path = Annotated[str, msgspec.Meta(max_length=1024)]


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What an attestor is asked."""

    chain_id: Annotated[str, msgspec.Meta(max_length=64)]
    height: Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]
    paths: Annotated[list[_Path], msgspec.Meta(max_length=MAX_PATHS)] | None = None  # None: of the state


class Signed(msgspec.Struct, frozen=True):
    """What it answers."""

    attestation_data: str
    signature: str


class BadAttestation(Exception):
    """An attestor did not sign what is so; its text says what it did."""


class Attestor(NamedTuple):
    """Where an attestor is asked, and who it is."""

    url: str
    address: bytes  # 20, Ethereum's

    @property
    def name(self) -> str:
        """For people: without what may be secret in the URL."""
        return public_name(self.url)


def read_attestor(text: str) -> Attestor:
    """An attestor out of `0x<address>@<url>`.

    Raises:
        ValueError: it is not of that form.
    """
    address, at, url = text.partition("@")
    try:
        raw = bytes.fromhex(address.removeprefix("0x"))
    except ValueError:
        raw = b""
    if len(raw) != ADDRESS_SIZE or not at:
        raise ValueError("an attestor is 0xADDRESS@URL")
    read_url(url)
    return Attestor(url, raw)


def ask(attestor: Attestor, question: Question, data: bytes, tag: bytes, seconds: float = ANSWER_S) -> bytes:
    """An attestor's signature of `data`, which is what we know to be so.

    Raises:
        BadAttestation: it does not answer in time, signed other data, or somebody else did.
    """
    answer = _answer(attestor, question, seconds)
    # guard: h213-whatever-was-signed-is-taken drop
    #   test_h213_one_bad_attestor_of_three_spoils_nothing_and_two_are_named
    if answer.attestation_data != data.hex():
        raise BadAttestation("attests something else than our node says")
    try:
        signature = bytes.fromhex(answer.signature)
    except ValueError:
        signature = b""
    # guard: h213-whoever-signed-is-taken-for-the-attestor drop:address
    #   test_h213_one_bad_attestor_of_three_spoils_nothing_and_two_are_named
    if len(signature) != SIGNATURE_SIZE or recover(signed_digest(tag, data), signature) != attestor.address:
        raise BadAttestation("the signature is not its own")
    return signature


def _answer(attestor: Attestor, question: Question, seconds: float) -> Signed:
    pool = HttpPool(read_url(attestor.url), MAX_BODY)
    try:
        found = pool.post(msgspec.json.encode(question), Deadline(seconds, time.monotonic), fresh=True)
        if found.status != 200:
            raise BadAttestation(f"refuses: {_refusal(found.body)}")
        return msgspec.json.decode(found.body, type=Signed)
    except (OSError, AnswerTooLarge) as error:
        raise BadAttestation(f"does not answer: {error}"[:200]) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise BadAttestation("answers with no attestation") from None
    finally:
        pool.close()


def _refusal(body: bytes) -> str:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return "without a reason"
    reason = found.get("error") if isinstance(found, dict) else None
    return ascii(reason)[:200]

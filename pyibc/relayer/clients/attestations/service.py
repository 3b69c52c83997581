"""HTTP client of an attestor.

The request is a POST with a JSON object: `{"chain_id": ..., "height": 7}` for the state, with `"paths"`, a
list of keys of the IBC store in hexadecimal, for packets. The response is `{"attestation_data": ...,
"signature": ...}`, both in hexadecimal. Like a CometBFT header, an attestation of height H has the time of
block H and the entries after block H - 1. A refusal has another status than 200, and `{"error": text}`.
"""

import json
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from typing import Annotated, NamedTuple

import msgspec

from light_client.attestations.states import signed_digest
from pyibc.core.crypto.ethereum import ADDRESS_SIZE, SIGNATURE_SIZE, recover
from pyibc.proto.ibc.lightclients.attestations.v1 import attestations_pb2 as pb
from pyibc.relayer.errors import EndpointUnavailable
from pyibc.relayer.rpc.http_connect import Deadline
from pyibc.relayer.rpc.http_pool import AnswerTooLarge, HttpPool, parse_url, redacted_url

MAX_PATHS = 32
"""Maximum number of paths per attestation."""
MAX_BODY = 1 << 16
"""Maximum size of a request or response, bytes."""
TIMEOUT_S = 5.0
"""Timeout of a request, seconds."""

_Path = Annotated[str, msgspec.Meta(max_length=1024)]


class AttestationRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Request to an attestor."""

    chain_id: Annotated[str, msgspec.Meta(max_length=64)]
    height: Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]
    paths: Annotated[list[_Path], msgspec.Meta(max_length=MAX_PATHS)] | None = None  # None: attest the state


class AttestationResponse(msgspec.Struct, frozen=True):
    """Response of an attestor, in hexadecimal."""

    attestation_data: str
    signature: str


class BadAttestation(Exception):
    """The attestor did not sign the expected data; the text has the reason."""


class Attestor(NamedTuple):
    """URL of an attestor, and the address of its key."""

    url: str
    address: bytes  # Ethereum address, 20 bytes

    @property
    def name(self) -> str:
        """URL without path, query and credentials, for logs and errors."""
        return redacted_url(self.url)


def read_attestor(text: str) -> Attestor:
    """Parse an attestor of the form `0x<address>@<url>`.

    Raises:
        ValueError: the text has another form.
    """
    address, at, url = text.partition("@")
    try:
        raw = bytes.fromhex(address.removeprefix("0x"))
    except ValueError:
        raw = b""
    if len(raw) != ADDRESS_SIZE or not at:
        raise ValueError("not an attestor: 0xADDRESS@URL is expected")
    parse_url(url)
    return Attestor(url, raw)


def request_signature(
    attestor: Attestor, request: AttestationRequest, data: bytes, tag: bytes, seconds: float = TIMEOUT_S
) -> bytes:
    """Request an attestor's signature of `data`, and verify it.

    Raises:
        BadAttestation: no response in time, other data, or the signature of another key.
    """
    answer = _post(attestor, request, seconds)
    # guard: h213-whatever-was-signed-is-taken drop
    #   test_h213_one_bad_attestor_of_three_spoils_nothing_and_two_are_named
    if answer.attestation_data != data.hex():
        raise BadAttestation("other data than the relayer's node reports")
    try:
        signature = bytes.fromhex(answer.signature)
    except ValueError:
        signature = b""
    # guard: h213-whoever-signed-is-taken-for-the-attestor drop:address
    #   test_h213_one_bad_attestor_of_three_spoils_nothing_and_two_are_named
    if len(signature) != SIGNATURE_SIZE or recover(signed_digest(tag, data), signature) != attestor.address:
        raise BadAttestation("the signature is not by the attestor's key")
    return signature


def _post(attestor: Attestor, request: AttestationRequest, seconds: float) -> AttestationResponse:
    try:
        with closing(HttpPool(parse_url(attestor.url), MAX_BODY)) as pool:
            response = pool.post(msgspec.json.encode(request), Deadline(seconds, time.monotonic), fresh=True)
        if response.status != 200:
            raise BadAttestation(f"refused: {_refusal(response.body)}")
        return msgspec.json.decode(response.body, type=AttestationResponse)
    except (OSError, AnswerTooLarge) as error:
        raise BadAttestation(f"no answer: {error}"[:200]) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise BadAttestation("the response is malformed") from None


def _refusal(body: bytes) -> str:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return "no reason given"
    reason = found.get("error") if isinstance(found, dict) else None
    return ascii(reason)[:200]


# -- collection of signatures from several attestors in parallel, up to the threshold

MAX_ATTESTORS = 64
"""Maximum attestors of one chain; each is queried in a thread of its own."""


class Quorum(NamedTuple):
    """Attestors of a chain, and the number of signatures that its clients require."""

    chain_id: str
    attestors: tuple[Attestor, ...]
    threshold: int

    def check(self) -> None:
        """Check number, threshold and uniqueness of the attestors.

        Raises:
            ValueError: the threshold or the number is out of range, or an attestor is listed twice.
        """
        if len({each.address for each in self.attestors}) < len(self.attestors):
            raise ValueError(f"{self.chain_id}: one attestor is listed twice")
        if not 0 < self.threshold <= len(self.attestors) <= MAX_ATTESTORS:
            raise ValueError(
                f"{self.chain_id}: threshold {self.threshold} of {len(self.attestors)} is out of range"
            )

    def sign(
        self, request: AttestationRequest, data: bytes, tag: bytes, seconds: float = TIMEOUT_S
    ) -> pb.AttestationProof:
        """Collect an AttestationProof of `data` with exactly `threshold` signatures.

        Args:
            request: the request to the attestors.
            data: the expected attestation, in Solidity's ABI encoding.
            tag: the domain tag of the signature.
            seconds: the timeout of each attestor.

        Raises:
            EndpointUnavailable: too few signed; the text has the error of each other attestor.
        """
        found, faults = list[bytes](), list[str]()
        pool = ThreadPoolExecutor(len(self.attestors))
        try:
            pending = {
                pool.submit(request_signature, each, request, data, tag, seconds): each
                for each in self.attestors
            }
            for answer in as_completed(pending):
                try:
                    found.append(answer.result())
                except BadAttestation as error:
                    faults.append(f"{pending[answer].name}: {error}")
                if len(found) == self.threshold:
                    return pb.AttestationProof(attestation_data=data, signatures=found)
        finally:
            # guard: h214-all-attestors-are-waited-for drop:wait
            #   test_h214_an_attestor_that_never_answers_holds_nobody_up
            pool.shutdown(wait=False, cancel_futures=True)
        signed = f"{len(found)} of {self.threshold} attestors signed"
        raise EndpointUnavailable(self.chain_id, f"{signed}; {'; '.join(sorted(faults))}")

"""Signatures of one attestation from several attestors at once, until enough have signed."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import NamedTuple

from ibc_proto.ibc.lightclients.attestations.v1 import attestations_pb2 as pb
from ibc_relayer.attestations.service import ANSWER_S, Attestor, BadAttestation, Question, ask
from ibc_relayer.errors import EndpointUnavailable

MAX_ATTESTORS = 64
"""Of one chain: each is asked in a thread of its own."""


class Quorum(NamedTuple):
    """A chain's attestors, and how many of them must sign."""

    chain_id: str
    attestors: tuple[Attestor, ...]
    threshold: int

    def check(self) -> None:
        """Checks it by itself.

        Raises:
            ValueError: there are too many or too few, or one of them twice.
        """
        if len({each.address for each in self.attestors}) < len(self.attestors):
            raise ValueError(f"{self.chain_id}: one attestor is listed twice")
        if not 0 < self.threshold <= len(self.attestors) <= MAX_ATTESTORS:
            raise ValueError(f"{self.chain_id}: {self.threshold} of {len(self.attestors)} attestors")

    def sign(
        self, question: Question, data: bytes, tag: bytes, seconds: float = ANSWER_S
    ) -> pb.AttestationProof:
        """`data` with as many signatures as must be, and no more: one that is bad would spoil the others.

        Args:
            question: what leads attestors to `data`.
            data: what we know to be so, in Solidity's ABI.
            tag: what the signature is for.
            seconds: that each of them has.

        Raises:
            EndpointUnavailable: too few signed; it names each of the others, and what it did.
        """
        found, faults = list[bytes](), list[str]()
        pool = ThreadPoolExecutor(len(self.attestors))
        try:
            asked = {pool.submit(ask, each, question, data, tag, seconds): each for each in self.attestors}
            for answer in as_completed(asked):
                try:
                    found.append(answer.result())
                except BadAttestation as error:
                    faults.append(f"{asked[answer].name} {error}")
                if len(found) == self.threshold:
                    return pb.AttestationProof(attestation_data=data, signatures=found)
        finally:
            # guard: h214-all-attestors-are-waited-for drop:wait
            #   test_h214_an_attestor_that_never_answers_holds_nobody_up
            pool.shutdown(wait=False, cancel_futures=True)
        raise EndpointUnavailable(self.chain_id, _told(len(found), self.threshold, faults))


def _told(signed: int, needed: int, faults: Sequence[str]) -> str:
    return f"{signed} of {needed} attestors signed; {'; '.join(sorted(faults))}"

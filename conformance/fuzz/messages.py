"""Cases of messages: every field of every message that a chain handles, in signed transactions."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from google.protobuf.message import Message

from conformance.fuzz.block_stage import Stage
from conformance.fuzz.case import Attack, Case
from conformance.fuzz.grammar import Write, written
from conformance.fuzz.samples import sample
from conformance.fuzz.types import messages
from conformance.fuzz.worlds import Seed, Worlds, short_name
from pyibc.codec.anys import AnyMessage
from pyibc.proto.pool import POOL, message_class

_SIGNERS = ("signer", "sender", "from_address", "authority")
_PROOF = "ibc.core.commitment.v1.MerkleProof"


def message_cases(made: Worlds, *, every: bool = False) -> Iterator[Case]:
    """Return every message in a signed transaction; messages of the authority run as by governance."""
    for seed in (*made.seeds, *_unseen(made)):
        yield from _cases(seed, every)


def _cases(seed: Seed, every: bool) -> Iterator[Case]:
    url, base = seed.message.type_url, seed.message.value
    cls = message_class(url.removeprefix("/"))
    signer = _signer(cls.FromString(base))
    for each in written(cls, base, proofs(), every=every):
        name = f"{seed.name} {each.name}"
        if signer in seed.stage.addresses:
            yield Case(name, partial(_signed, seed.stage, url, signer, each.write), executed=True)
        else:
            yield Case(name, partial(_executed, seed.stage, url, each.write))


def _signed(stage: Stage, url: str, signer: str, write: Write, size: int) -> Attack:
    raw = stage.signed(stage.context(), [AnyMessage(url, write(size))], signer)
    return stage.delivery(raw)


def _executed(stage: Stage, url: str, write: Write, size: int) -> Attack:
    return stage.message(url, write(size))


def _unseen(made: Worlds) -> Iterator[Seed]:
    """Return sample messages, with a valid signer, for the types that no chain has executed."""
    stage = made.last
    seen = {seed.message.type_url for seed in made.seeds}
    for url in stage.chain.app.pipeline.messages():
        if url not in seen:
            cls: Any = message_class(url.removeprefix("/"))
            message = cls.FromString(sample(cls.DESCRIPTOR))
            for field in _SIGNERS:
                if field in cls.DESCRIPTOR.fields_by_name:
                    setattr(message, field, stage.addresses[0])
            yield Seed(short_name(url), AnyMessage(url, message.SerializeToString()), stage)


def _signer(message: Message) -> str:
    return next((getattr(message, field) for field in _SIGNERS if hasattr(message, field)), "")


def proofs() -> Mapping[str, str]:
    """Return the bytes fields that contain a MerkleProof."""
    return {
        field.full_name: _PROOF
        for name in messages()
        for field in POOL.FindMessageTypeByName(name).fields
        if field.name.startswith("proof") and field.type == field.TYPE_BYTES
    }

"""Cases of acknowledgements: JSON that the sender of a packet may submit as its acknowledgement.

An acknowledgement is parsed before its proof is verified, so anyone with a pending packet may submit one.
"""

from collections.abc import Iterator
from functools import partial

from conformance.fuzz.case import Attack, Case
from conformance.fuzz.texts import SHAPES, Write
from conformance.fuzz.worlds import Seed, Worlds
from pyibc.codec.anys import AnyMessage
from pyibc.proto.ibc.core.channel.v1.tx_pb2 import MsgAcknowledgement


def answer_cases(made: Worlds) -> Iterator[Case]:
    """Return JSON of every shape as a whole acknowledgement, as its result, and as one of two results."""
    seed = next(each for each in made.seeds if each.name == "channel.v1.MsgAcknowledgement")
    for shape, write in SHAPES.items():
        yield _case(seed, shape, "answered with", write)
        yield _case(seed, shape, "a result of", partial(_framed, b'{"result":', b"}", write))
        yield _case(seed, shape, "passed over", partial(_framed, b'{"error":', b',"error":"a"}', write))


def _case(seed: Seed, shape: str, how: str, write: Write) -> Case:
    return Case(f"{seed.name} {how}: {shape}", partial(_answered, seed, write), executed=True)


def _framed(before: bytes, after: bytes, write: Write, size: int) -> bytes:
    return before + write(size) + after


def _answered(seed: Seed, write: Write, size: int) -> Attack:
    acknowledge = MsgAcknowledgement.FromString(seed.message.value)
    acknowledge.acknowledgement = write(size)
    message = AnyMessage(seed.message.type_url, acknowledge.SerializeToString())
    return seed.stage.delivery(seed.stage.signed(seed.stage.context(), [message], acknowledge.signer))

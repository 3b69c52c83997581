"""Cases of acknowledgements: JSON that whoever sent a packet has his own chain, or nobody, answer it with.

What an acknowledgement says is read before its proof, so that anybody with a packet under way may send one.
"""

from collections.abc import Iterator
from functools import partial

from conformance.fuzz.case import Attack, Case
from conformance.fuzz.texts import SHAPES, Write
from conformance.fuzz.worlds import Seed, Worlds
from ibc_core.any_message import AnyMessage
from ibc_proto.ibc.core.channel.v1.tx_pb2 import MsgAcknowledgement


def answer_cases(made: Worlds) -> Iterator[Case]:
    """Every shape of JSON as a whole acknowledgement, as its result, and as a result that another follows."""
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
    told = MsgAcknowledgement.FromString(seed.message.value)
    told.acknowledgement = write(size)
    message = AnyMessage(seed.message.type_url, told.SerializeToString())
    return seed.stage.delivery(seed.stage.signed(seed.stage.context(), [message], told.signer))

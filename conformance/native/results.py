"""Comparison of the decoding of block results, intact and corrupted, with protobuf's."""

from collections.abc import Iterator
from random import Random

from conformance.native.stand_in import read_results
from conformance.native.trial import Trial
from conformance.oracle.wire_noise import Grammar, noisy
from pyibc.core import native
from pyibc.proto.pyibc.node.v1.query_pb2 import QueryBlockResultsResponse

_TEXTS = ("", "send_packet", "7", "\u00e9", "x" * 127, "y" * 128, "\0")


def trials(seed: int) -> Iterator[Trial]:
    """Yield results with most fields set; three in ten are corrupted."""
    rng = Random(seed)  # noqa: S311  # cases are to be repeated, not secret
    while True:
        raw = (
            Grammar(rng, _TEXTS, ()).message(QueryBlockResultsResponse).SerializeToString(deterministic=True)
        )
        while rng.random() < 0.3:
            raw = noisy(rng, raw)
        found = native.read_results(raw)
        yield Trial(found is not None, found, None if found is None else read_results(raw), raw)

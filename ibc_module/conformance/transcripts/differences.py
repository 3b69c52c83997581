"""Where this module answers otherwise than ibc-go, on purpose (docs/adr/0010-differences-to-ibc-go.md)."""

from typing import NamedTuple


class Difference(NamedTuple):
    """One answer of ibc-go that has another here."""

    recorded: tuple[str, int]  # codespace, code
    codespace: str
    code: int | None  # None: any of the codespace
    why: str


DIFFERENCES = (
    Difference(("undefined", 1), "cometbft", None, "CometBFT's verifier has unregistered errors"),
    Difference(
        ("undefined", 1), "ibc", 5, "IBC v2: an allowed relayer that is no address; unregistered there"
    ),
    Difference(("undefined", 1), "ibc", 17, "IBC v2: more than 20 allowed relayers; unregistered there"),
    Difference(("undefined", 111222), "port", 5, "IBC v2: no application has the port; a panic there"),
)


def same(recorded: tuple[str, int], ours: tuple[str, int]) -> bool:
    """Whether our answer (codespace, code) is the recorded one, or stands for it."""
    return recorded == ours or any(
        each.recorded == recorded and each.codespace == ours[0] and each.code in {None, ours[1]}
        for each in DIFFERENCES
    )

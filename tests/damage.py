"""Damage to files that never leaves them as they were."""

from pathlib import Path


def flip_byte(path: Path, place: int = 0) -> None:
    """Flip every bit of one byte of a file: a fixed byte could be the one that already stands there."""
    content = bytearray(path.read_bytes())
    content[place] ^= 0xFF
    path.write_bytes(content)

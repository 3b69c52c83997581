"""What decoding one input may cost: counted as it goes, in proportion to the input's size."""

from ibc_core.errors import TxDecode

BYTES_A_BYTE = 64
"""Bytes that may be read for each byte of the input.

It is read once for each Any that it stands in, ten at most, and there it is parsed, serialised and walked;
an Any that is merged out of two is read once more. What the SDK takes stays far below.
"""

ELEMENTS_A_BYTE = 4
"""Fields that may be looked at for each byte: a field has two bytes at least, and is walked in one Any."""

FLOOR = 4096
"""What even an empty input may spend, of bytes and of elements."""


class Budget:
    """Bytes and elements that were spent on one input, whatever is nested in it, and what may be."""

    __slots__ = ("bytes", "elements", "max_bytes", "max_elements")

    def __init__(self, size: int) -> None:
        """For an input of `size` bytes."""
        self.bytes = 0
        self.elements = 0
        self.max_bytes = BYTES_A_BYTE * size + FLOOR
        self.max_elements = ELEMENTS_A_BYTE * size + FLOOR

    def read(self, size: int) -> None:
        """Spends `size` bytes.

        Raises:
            TxDecode: more than may be spent.
        """
        self.bytes += size
        if self.bytes > self.max_bytes:
            raise TxDecode(f"decoding reads more than {self.max_bytes} bytes")

    def visit(self, count: int) -> None:
        """Spends `count` elements: fields and Anys.

        Raises:
            TxDecode: more than may be spent.
        """
        self.elements += count
        if self.elements > self.max_elements:
            raise TxDecode(f"decoding looks at more than {self.max_elements} elements")

"""What decoding one input may cost: counted as it goes, in proportion to the input's size."""

from ibc_core.errors import TxDecode

BYTES_A_BYTE = 64
"""Bytes that may be read for each byte of the input.

It is read once for each Any that it stands in, ten at most, and there it is parsed, serialised and walked;
an Any that is merged out of two is read once more. What the SDK takes stays far below.
"""

BYTES_AN_ELEMENT = 16
"""Bytes of the input for each element: a message in a list is one.

Nobody who signs or pays is known yet, and an element costs as much as a thousand bytes that protobuf's C core
reads. The fields of messages in canonical form are not counted, and nobody writes others but by hand; the
smallest message that stands in long lists is a vote of nobody in a commit, of 17 bytes.
"""

ELEMENTS_OF_A_FIELD = 2
"""What a field counts for that is walked by hand."""

ELEMENTS_OF_AN_ANY = 3
"""What an Any counts for: its type is looked up, what it holds is parsed by itself."""

FLOOR = 4096
"""Bytes that even an empty input may spend."""

FREE_ELEMENTS = 512
"""Elements that even an empty input may spend: a transaction has so many for all of its messages together.

Messages that random walks spoil need up to 350; two hundred of a transaction's smallest would each have taken
as many, at ten times the price of their bytes.
"""


class Budget:
    """Bytes and elements that were spent on one input, whatever is nested in it, and what may be."""

    __slots__ = ("bytes", "elements", "max_bytes", "max_elements")

    def __init__(self, size: int) -> None:
        """For an input of `size` bytes."""
        self.bytes = 0
        self.elements = 0
        self.max_bytes = BYTES_A_BYTE * size + FLOOR
        self.max_elements = size // BYTES_AN_ELEMENT + FREE_ELEMENTS

    def read(self, size: int) -> None:
        """Spends `size` bytes.

        Raises:
            TxDecode: more than may be spent.
        """
        self.bytes += size
        if self.bytes > self.max_bytes:
            raise TxDecode(f"decoding reads more than {self.max_bytes} bytes")

    def visit(self, count: int) -> None:
        """Spends `count` elements: fields, Anys, and messages in lists.

        Raises:
            TxDecode: more than may be spent.
        """
        self.elements += count
        # guard: h60-a-spent-budget-goes-on test_h60_a_spent_budget_refuses
        if self.elements > self.max_elements:
            raise TxDecode(f"decoding looks at more than {self.max_elements} elements")

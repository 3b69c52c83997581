"""Blank text, as Go defines it."""

_GO_SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)


def is_blank(text: str) -> bool:
    """Whether strings.TrimSpace leaves nothing of `text`; Python's strip also takes U+001C to U+001F."""
    return not text.strip(_GO_SPACES)

"""Go's ideas of text, where a verdict hangs on them."""

_GO_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""What Go's `unicode.IsSpace` accepts; Python's `str.strip` takes more."""


def is_blank(text: str) -> bool:
    """Whether Go's `strings.TrimSpace(text)` is empty."""
    return not text.strip(_GO_SPACE)

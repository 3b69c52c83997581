"""Readable texts: an application may repeat a peer's bytes, which can be anything."""


def readable(text: str) -> str:
    """The text as valid UTF-8: lone surrogates become escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")

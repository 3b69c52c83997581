"""Texts for people: a peer's bytes, which an application may repeat, hold anything."""


def readable(text: str) -> str:
    """The text as UTF-8 can have it: what is no character (a lone surrogate) is spelled as an escape."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")

"""Arguments of ibc-rs's `#[case(...)]`, which its vectors give as Rust source text."""

import re

_LITERAL = re.compile(
    r"""\s*(?:"((?:[^"\\]|\\.)*)"|r\#"(.*?)"\#|(true|false)\b|([0-9][0-9_]*)(?:u64|u32)?(?=\s*(?:,|$)))\s*(?:,|$)""",
    re.DOTALL,
)
_REPEATED = re.compile(
    r"""&?\(?"((?:[^"\\]|\\.)*)"\.repeat\(([0-9]{1,4})\)(?:\s*\+\s*"((?:[^"\\]|\\.)*)")?\)?""", re.DOTALL
)
"""Pattern of a repeated text with an optional suffix: `&("A".repeat(43) + "-3")`."""
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})|\n\s*|(.))", re.DOTALL)
_SHORT = {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}

Argument = str | int | bool


def arguments(source: str) -> tuple[list[Argument], str]:
    """Return the leading literals (texts, numbers, booleans) of a case, and the source after them."""
    source = _REPEATED.sub(_written_out, source)
    found: list[Argument] = []
    at = 0
    while at < len(source):
        literal = _LITERAL.match(source, at)
        if literal is None:
            break
        text, raw, truth, number = literal.groups()
        if text is not None:
            found.append(_ESCAPE.sub(_unescape, text))
        elif raw is not None:
            found.append(raw)
        else:
            found.append(truth == "true" if truth else int(number.replace("_", "")))
        at = literal.end()
    return found, source[at:].strip()


def _written_out(found: re.Match[str]) -> str:
    return f'"{found[1] * int(found[2])}{found[3] or ""}"'


def _unescape(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if code is not None:
        return chr(int(code, 16))
    return "" if found[3] is None else _SHORT.get(found[3], found[3])


def some(source: str) -> str | None:
    """Return the text in a trailing `Some("...")`; None for `None`."""
    found = re.search(r'Some\(\s*("(?:[^"\\]|\\.)*")\s*\)\s*\Z', source, re.DOTALL)
    return None if found is None else str(arguments(found[1])[0][0])

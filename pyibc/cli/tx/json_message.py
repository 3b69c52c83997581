"""`pyibc tx json`: a message of an application whose messages are JSON, without a .proto."""

import json
from typing import Any

import click

from pyibc.cli.one_chain import endpoint, signed, submit
from pyibc.cli.tx.raw import tell
from pyibc.codec.anys import AnyMessage

_SIGNER = "signer"


@click.command("json")
@click.argument("type_url", metavar="TYPE")
@click.argument("message", metavar="MESSAGE")
@signed
def command(type_url: str, message: str, **options: Any) -> None:
    """Sign and send MESSAGE, a JSON object of the type TYPE, in a transaction.

    Applications without a .proto have such messages, as those of `pyibc init`:
    `pyibc tx json /mychain.Write '{"text": "milk"}'`. The member `signer` is this account and may be left
    out. Messages with a .proto are sent by `pyibc tx raw`.
    """
    if not type_url.startswith("/"):
        raise ValueError(f"TYPE {type_url!a:.64} does not begin with /, as in /mychain.Write")
    members = _members(message)
    with endpoint(options) as chain:
        if members.setdefault(_SIGNER, chain.signer) != chain.signer:
            raise ValueError(f"signer is {members[_SIGNER]!a:.100}, but this account is {chain.signer}")
        packed = AnyMessage(type_url, json.dumps(members, separators=(",", ":"), ensure_ascii=False).encode())
        tell(options, chain, 1, submit(chain, f"the message {type_url}", [packed]))


def _members(message: str) -> dict[str, Any]:
    """Parse the object; raise ValueError."""
    try:
        members = json.loads(message, parse_constant=_refuse)
        json.dumps(members, ensure_ascii=False).encode()  # a lone surrogate has no encoding
    except (ValueError, RecursionError) as error:
        raise ValueError(f"MESSAGE is not JSON: {error}") from None
    if not isinstance(members, dict):
        text = 'MESSAGE is not a JSON object, as in \'{"text": "milk"}\''
        raise ValueError(text)  # noqa: TRY004 - wrong use of an argument
    return members


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number")

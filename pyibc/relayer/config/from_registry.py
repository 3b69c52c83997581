"""Chain of a chain registry as a table of a relayer's configuration.

A registry is a folder, or a URL, with `NAME/chain.json` for each chain, and `testnets/NAME/chain.json`.
"""

import re
import time
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import msgspec

from pyibc.core.address import PREFIX
from pyibc.relayer.config.file import exact, toml_text
from pyibc.relayer.errors import WrongConfiguration
from pyibc.relayer.money.wallet import ETHSECP256K1, INJECTIVE
from pyibc.relayer.rpc.http_connect import Deadline
from pyibc.relayer.rpc.http_pool import AnswerTooLarge, HttpPool, parse_url

MAX_BYTES = 1 << 20
"""Maximum size of an entry."""
MAX_NODES = 30
"""Maximum number of an entry's nodes that are read."""
_TIMEOUT_S = 10.0
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.ASCII)
_CHAIN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)
_DENOM = re.compile(r"[a-zA-Z][a-zA-Z0-9/:._-]{2,127}", re.ASCII)


class _FeeToken(msgspec.Struct):
    denom: str
    fixed_min_gas_price: Decimal | None = None
    low_gas_price: Decimal | None = None
    average_gas_price: Decimal | None = None


class _Fees(msgspec.Struct):
    fee_tokens: list[_FeeToken] = []


class _Api(msgspec.Struct):
    address: str


class _Apis(msgspec.Struct):
    rpc: list[_Api] = []


class _Entry(msgspec.Struct):
    chain_id: str
    bech32_prefix: str
    status: str = "live"
    key_algos: list[str] = []
    extra_codecs: list[str] = []
    fees: _Fees = msgspec.field(default_factory=_Fees)
    apis: _Apis = msgspec.field(default_factory=_Apis)


class RegistryChain(NamedTuple):
    """Entry of a chain in a registry, as far as a relayer needs it."""

    id: str
    prefix: str  # of addresses
    nodes: tuple[str, ...]  # URLs of RPC
    denom: str  # "": the entry names no fees
    price: str  # of one unit of gas, a decimal number; "0": not known
    key_type: str  # "": that of the Cosmos SDK
    notes: tuple[str, ...]  # for the user

    def table(self, nodes: tuple[str, ...], key_file: str) -> str:
        """Return the table `[[chains]]` with these nodes, in TOML."""
        kind = f", type = {toml_text(self.key_type)}" if self.key_type else ""
        fees = f"denom = {toml_text(self.denom)}, price = {self.price}" if self.denom else ""
        lines = [
            "[[chains]]",
            f"id = {toml_text(self.id)}",
            f"rpc = [{', '.join(map(toml_text, nodes))}]",
            f"prefix = {toml_text(self.prefix)}",
            f"key = {{ file = {toml_text(key_file)}{kind} }}",
            *([f"fees = {{ {fees} }}"] if fees else []),
        ]
        return "\n".join(lines) + "\n"


def read_entry(registry: str, name: str) -> RegistryChain:
    """Read the entry of a chain.

    Args:
        registry: a folder, or an http(s) URL.
        name: the name of the chain's folder in the registry, such as `osmosis`.

    Raises:
        ValueError: `name` cannot be a name in a registry.
        WrongConfiguration: there is no such entry, or it cannot be read.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name in a chain registry, such as cosmoshub or osmosis")
    read = _fetched if registry.partition("://")[0] in {"http", "https"} else _in_folder
    places = [f"{registry.rstrip('/')}/{folder}{name}/chain.json" for folder in ("", "testnets/")]
    for place in places:
        raw = read(place)
        if raw is not None:
            return _chain(place, raw)
    names = "its name is that of its folder in the registry"
    raise WrongConfiguration(places[0], f"the registry has no chain {name!r}: {names}")


def _in_folder(place: str) -> bytes | None:
    try:
        with Path(place).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise WrongConfiguration(place, error.strerror or str(error)) from error


def _fetched(place: str) -> bytes | None:
    try:
        target = parse_url(place)
        with closing(HttpPool(target, MAX_BYTES)) as pool:
            answer = pool.get(Deadline(_TIMEOUT_S, time.monotonic))
    except AnswerTooLarge:
        return b"\0" * (MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise WrongConfiguration(place, f"cannot be fetched: {error}") from error
    if answer.status == 404:
        return None
    if answer.status != 200:
        hint = "give the URL of the files themselves"
        raise WrongConfiguration(place, f"cannot be fetched: HTTP status {answer.status}: {hint}")
    return answer.body


def _chain(place: str, raw: bytes) -> RegistryChain:
    if len(raw) > MAX_BYTES:
        raise WrongConfiguration(place, f"has more than {MAX_BYTES} bytes")
    try:
        entry = msgspec.json.decode(raw, type=_Entry)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WrongConfiguration(place, f"is no entry of a chain registry: {error}") from error
    if not _CHAIN_ID.fullmatch(entry.chain_id):
        raise WrongConfiguration(place, f"its chain id {entry.chain_id[:80]!r} cannot be one")
    if not re.fullmatch(PREFIX, entry.bech32_prefix):
        raise WrongConfiguration(place, f"its prefix of addresses {entry.bech32_prefix[:80]!r} cannot be one")
    notes = [] if entry.status == "live" else [f"the registry says that the chain is {entry.status[:40]!r}"]
    denom, price = _fee(entry, notes)
    nodes = tuple(dict.fromkeys(filter(_is_url, (each.address for each in entry.apis.rpc[:MAX_NODES]))))
    if not nodes:
        raise WrongConfiguration(place, "names no RPC node: add one by hand")
    key_type = _key_type(entry)
    return RegistryChain(entry.chain_id, entry.bech32_prefix, nodes, denom, price, key_type, tuple(notes))


def _fee(entry: _Entry, notes: list[str]) -> tuple[str, str]:
    tokens = [each for each in entry.fees.fee_tokens if _DENOM.fullmatch(each.denom)]
    if not tokens:
        notes.append("the registry names no fees: add `fees` with denom and price")
        return "", "0"
    first, *others = tokens
    if others:
        notes.append(f"fees can also be paid in {', '.join(each.denom for each in others[:5])}")
    prices = (first.average_gas_price, first.low_gas_price, first.fixed_min_gas_price)
    price = next((each for each in prices if each is not None), None)
    try:
        exact(price)
    except ValueError:
        notes.append("the registry names no gas price that can be used: set `price` in `fees`")
        return first.denom, "0"
    return first.denom, f"{price:f}"


def _key_type(entry: _Entry) -> str:
    """Return the type of the chain's accounts; "": that of the Cosmos SDK."""
    if "injective" in entry.extra_codecs:
        return INJECTIVE.name
    return ETHSECP256K1.name if "ethsecp256k1" in entry.key_algos else ""


def _is_url(address: str) -> bool:
    try:
        parse_url(address)
    except ValueError:
        return False
    return True

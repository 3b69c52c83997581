"""Conversion of a Hermes 1.x configuration, with notes on settings that cannot be converted.

Hermes finds paths itself and filters them; here each path is named. Channels that a `packet_filter` allows by
name become paths if the chain at their other end is known.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from pyibc.relayer.config.file import toml_text
from pyibc.relayer.errors import WrongConfiguration
from pyibc.relayer.money.wallet import COSMOS_EVM, ETHSECP256K1, INJECTIVE
from pyibc.relayer.packets.policy import read_sequences

OtherEnd = Callable[[str, str, str], str | None]
"""Returns the chain at the other end of a chain's port and channel; None: unknown."""

_CONVERTED = {"id", "type", "rpc_addr", "account_prefix", "key_name", "gas_price", "gas_multiplier"}
_CONVERTED |= {"max_gas", "memo_prefix", "fee_granter", "address_type", "packet_filter", "excluded_sequences"}
_NOT_NEEDED = {"grpc_addr", "event_source", "store_prefix", "rpc_timeout", "trusted_node", "default_gas"}
_NOT_NEEDED |= {"batch_delay", "max_msg_num", "max_tx_size", "max_grpc_decoding_size", "key_store_type"}
_NOT_NEEDED |= {"ccv_consumer_chain", "clock_drift"}
_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,6})?) ?((?:[kmg]i?)?b?)", re.ASCII | re.IGNORECASE)
_UNITS = {"": 1, "B": 1} | {
    f"{prefix}{i}{b}": (1024 if i else 1000) ** power
    for power, prefix in enumerate("KMG", 1)
    for i in ("", "I")
    for b in ("", "B")
}


class Converted(NamedTuple):
    """Converted configuration, and notes for the user."""

    text: str
    notes: list[str]


def convert(file: Path, other_end: OtherEnd) -> Converted:
    """Convert a configuration of Hermes.

    Raises:
        WrongConfiguration: the file cannot be read, or is not a configuration of Hermes.
    """
    try:
        given = tomllib.loads(file.read_text(encoding="utf-8"), parse_float=str)  # as it is written
        chains = _chains(given)
        texts, notes = ["\n".join(_relayer(given))], list[str]()
        texts += ["\n".join(_chain(chain, _key_file(chain, chains), notes)) for chain in chains]
        limits = _limits(given, notes)
        known = {each["id"] for each in chains}
        paths = [path for chain in chains for path in _paths(chain, known, other_end, notes)]
        excluded = _excluded(chains, paths, notes)
        texts += ["\n".join([*_path(path, excluded.get(path, {})), *limits]) for path in paths]
    except OSError as error:
        raise WrongConfiguration(str(file), error.strerror or str(error)) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        fact = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise WrongConfiguration(str(file), f"not a configuration of Hermes: {fact}") from error
    return Converted("\n\n".join(texts) + "\n", notes)


def _chains(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    chains = [dict(chain) for chain in given["chains"]]
    if not chains:
        raise ValueError("no chains")
    return chains


def _relayer(given: Mapping[str, Any]) -> Iterator[str]:
    yield "[relayer]"
    yield 'journal = "relayer.db"'
    telemetry = given.get("telemetry", {})
    if telemetry.get("enabled"):
        where = telemetry.get("host", "127.0.0.1"), int(telemetry.get("port", 3001))
        yield f"listen = {toml_text('{}:{}'.format(*where))}"


def _limits(given: Mapping[str, Any], notes: list[str]) -> list[str]:
    """Return the filter of every path: maximum sizes of memo and receiver."""
    packets, found = given.get("mode", {}).get("packets", {}), list[str]()
    for theirs, ours in (("ics20_max_memo_size", "max_memo"), ("ics20_max_receiver_size", "max_receiver")):
        limit = packets.get(theirs)
        if limit is None:
            notes.append(f"{theirs} is not there: set {ours} in [paths.filter] if Hermes' default was wanted")
        elif limit.get("enabled", True) and _bytes(limit["size"]) is None:
            notes.append(f"{theirs}: {limit['size']} is not a size: set {ours} in [paths.filter]")
        elif limit.get("enabled", True):
            found.append(f"{ours} = {_bytes(limit['size'])}")
    return ["[paths.filter]", *found] if found else []


def _bytes(size: object) -> int | None:
    """Return a number of bytes that may have a unit, such as `32KiB`; None: it is none."""
    match = _SIZE.fullmatch(str(size).strip())
    if match is None:
        return None
    return int(Fraction(match[1]) * _UNITS[match[2].upper()])


def _key_file(chain: Mapping[str, Any], chains: Iterable[Mapping[str, Any]]) -> str:
    """Return the file of `pyibc relay keys import-hermes`: a name of several chains becomes CHAIN-NAME."""
    name = str(chain["key_name"])
    is_shared = sum(each.get("key_name") == chain["key_name"] for each in chains) > 1
    return f"{chain['id']}-{name}.key" if is_shared else f"{name}.key"


def _chain(chain: Mapping[str, Any], key_file: str, notes: list[str]) -> Iterator[str]:
    name, price = str(chain["id"]), chain.get("gas_price", {})
    if chain.get("type", "CosmosSdk") != "CosmosSdk":
        notes.append(f"{name}: chains of type {chain['type']} are not relayed")
    yield "[[chains]]"
    yield f"id = {toml_text(name)}"
    yield f"rpc = [{toml_text(chain['rpc_addr'])}]"
    yield f"prefix = {toml_text(chain.get('account_prefix', 'cosmos'))}"
    yield f"key = {{ {', '.join(_key(name, chain, key_file, notes))} }}"
    yield f"fees = {{ {', '.join(_fees(chain, price))} }}"
    if any(chain.get("packet_filter", {}).get("min_fees", {}).values()):
        without = "packets without a fee are relayed too"
        notes.append(f"{name}: packet_filter.min_fees has no counterpart: {without}")
    if chain.get("ccv_consumer_chain"):
        notes.append(f"{name}: set `consumer` to its consumer id on the provider")
    unknown = sorted(key for key in set(chain) - _CONVERTED - _NOT_NEEDED if chain[key] not in ({}, [], ""))
    if unknown:
        notes.append(f"{name}: not converted: {', '.join(unknown)}")


def _key(name: str, chain: Mapping[str, Any], key_file: str, notes: list[str]) -> Iterator[str]:
    yield f"file = {toml_text(key_file)}"
    notes.append(f"{name}: `pyibc relay keys import-hermes --dir .` writes {key_file!r}")
    kind = _key_type(name, chain.get("address_type", {}), notes)
    if kind:
        yield f"type = {toml_text(kind)}"  # the HD path of a mnemonic is that of the type; a hex key has none


def _key_type(name: str, given: Mapping[str, Any], notes: list[str]) -> str:
    """Return the type of the account; empty: that of the Cosmos SDK."""
    if given.get("derivation", "cosmos") != "ethermint":
        return ""
    url = given.get("proto_type", {}).get("pk_type", ETHSECP256K1.type_url)
    for each in (ETHSECP256K1, COSMOS_EVM, INJECTIVE):
        if each.type_url == url:
            return each.name
    notes.append(f"{name}: public keys of type {url} are not supported: taken as {ETHSECP256K1.name}")
    return ETHSECP256K1.name


def _fees(chain: Mapping[str, Any], price: Mapping[str, Any]) -> Iterator[str]:
    yield f"denom = {toml_text(price.get('denom', 'stake'))}"
    yield f"price = {toml_text(price.get('price', 0))}"
    yield f"multiplier = {toml_text(chain.get('gas_multiplier', 1.2))}"
    if "max_gas" in chain:
        yield f"max_gas = {int(chain['max_gas'])}"
    if chain.get("fee_granter"):
        yield f"granter = {toml_text(chain['fee_granter'])}"
    if chain.get("memo_prefix"):
        yield f"memo = {toml_text(chain['memo_prefix'])}"


class _Path(NamedTuple):
    """Path that a filter names."""

    a: str
    b: str
    port: str
    channel: str  # on a


def _path(path: _Path, excluded: Mapping[str, Iterable[Any]]) -> Iterator[str]:
    yield "[[paths]]"
    for key in ("a", "b", "port"):
        yield f"{key} = {toml_text(getattr(path, key))}"
    yield f"channels = [{toml_text(path.channel)}]"
    if excluded:
        listed = (f"{toml_text(end)} = {json.dumps(list(parts))}" for end, parts in excluded.items())
        yield f"exclude_sequences = {{ {', '.join(listed)} }}"


def _excluded(
    chains: Iterable[Mapping[str, Any]], paths: list[_Path], notes: list[str]
) -> dict[_Path, dict[str, list[Any]]]:
    """Return the sequences that each path excludes, by its end; Hermes names the end on the sending chain."""
    found: dict[_Path, dict[str, list[Any]]] = {}
    for chain in chains:
        name = str(chain["id"])
        for channel, parts in dict(chain.get("excluded_sequences", {})).items():
            read_sequences(parts)
            ours = [path for path in paths if (path.a, path.channel) == (name, channel)]
            # The channel's id on the other chain is not known: only one path leaves no doubt.
            theirs = [path for path in paths if path.b == name]
            if len(ours) == 1 or (len(theirs) == 1 and not ours):
                path, end = (ours[0], channel) if ours else (theirs[0], f"{name}/{channel}")
                found.setdefault(path, {})[end] = list(parts)
            else:
                end = f"{name}/{channel}"
                notes.append(
                    f"{name}: excluded_sequences: add {toml_text(end)} to exclude_sequences of its path"
                )
    return found


def _paths(
    chain: Mapping[str, Any], known: set[str], other_end: OtherEnd, notes: list[str]
) -> Iterator[_Path]:
    """Yield the paths that a chain's filter names; only one end of each yields it."""
    name, rules = str(chain["id"]), chain.get("packet_filter", {})
    if rules.get("policy") != "allow":
        notes.append(
            f"{name}: no filter names its channels: add [[paths]]; `pyibc relay query paths` lists them"
        )
        return
    for port, channel in _named(name, rules.get("list", ()), notes):
        other = other_end(name, port, channel)
        if other is None or other not in known:
            notes.append(f"{name}: {port}/{channel}: the chain at its other end is {other or 'not known'}")
        elif name < other:
            yield _Path(name, other, port, channel)


def _named(name: str, rules: Iterable[Any], notes: list[str]) -> Iterator[tuple[str, str]]:
    for port, channel in rules:
        if "*" in port or "*" in channel:
            notes.append(f"{name}: the pattern {port}/{channel} is not a path")
        else:
            yield port, channel

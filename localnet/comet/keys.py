"""Keys in the format of CometBFT's files. They are derived from a seed: for tests only, never for value."""

from base64 import b64encode
from typing import Any

from localnet.consensus.keys import ValidatorKey, validator_keys

Json = dict[str, Any]


def signing_keys(seed: str, chain_id: str, count: int) -> list[ValidatorKey]:
    """The validators' consensus keys, the same as under the localnet's own consensus."""
    return validator_keys(f"{seed}/{chain_id}", count)


def node_keys(seed: str, chain_id: str, count: int) -> list[ValidatorKey]:
    """The p2p keys of the nodes."""
    return validator_keys(f"{seed}/{chain_id}/p2p", count)


def node_id(key: ValidatorKey) -> str:
    """A node's p2p id."""
    return key.address.hex()


def public_json(key: ValidatorKey) -> Json:
    """A public key in Amino JSON."""
    return {"type": "tendermint/PubKeyEd25519", "value": b64encode(key.public_key).decode("ascii")}


def private_json(key: ValidatorKey) -> Json:
    """A private key in Amino JSON: seed and public key."""
    raw = b64encode(key.seed + key.public_key).decode("ascii")
    return {"type": "tendermint/PrivKeyEd25519", "value": raw}


def signer_json(key: ValidatorKey) -> Json:
    """The content of priv_validator_key.json."""
    return {
        "address": key.address.hex().upper(),
        "pub_key": public_json(key),
        "priv_key": private_json(key),
    }

"""Keys in the format of CometBFT's files. They are derived from a seed: for tests only, never for value."""

from base64 import b64encode

from ibc_core.comet_json.fields import Json, write_hex
from light_client.tendermint.comet_json import write_public_key
from localnet.consensus.keys import ValidatorKey, validator_keys


def signing_keys(seed: str, chain_id: str, count: int) -> list[ValidatorKey]:
    """The validators' consensus keys, the same as under the localnet's own consensus."""
    return validator_keys(f"{seed}/{chain_id}", count)


def node_keys(seed: str, chain_id: str, count: int) -> list[ValidatorKey]:
    """The p2p keys of the nodes."""
    return validator_keys(f"{seed}/{chain_id}/p2p", count)


def node_id(key: ValidatorKey) -> str:
    """A node's p2p id."""
    return key.address.hex()


def private_json(key: ValidatorKey) -> Json:
    """A private key in Amino JSON: seed and public key."""
    raw = b64encode(key.seed + key.public_key).decode("ascii")
    return {"type": "tendermint/PrivKeyEd25519", "value": raw}


def signer_json(key: ValidatorKey) -> Json:
    """The content of priv_validator_key.json."""
    return {
        "address": write_hex(key.address),
        "pub_key": write_public_key(key.validator(1)),
        "priv_key": private_json(key),
    }

"""A node's `node_info`, as `status` tells it."""

from ibc_core.comet_json.fields import Json, read_hex, read_integer, write_hex
from ibc_proto.tendermint.p2p.types_pb2 import DefaultNodeInfo

_TEXTS = ("listen_addr", "network", "version", "moniker")
_PROTOCOLS = ("p2p", "block", "app")


def read_node_info(data: Json) -> DefaultNodeInfo:
    """A `node_info`.

    Raises:
        ValueError, KeyError, TypeError: `data` is malformed.
    """
    info = DefaultNodeInfo(default_node_id=data["id"], channels=read_hex(data["channels"]))
    for name in _TEXTS:
        setattr(info, name, data[name])
    for name in _PROTOCOLS:
        setattr(info.protocol_version, name, read_integer(data["protocol_version"][name]))
    info.other.tx_index, info.other.rpc_address = data["other"]["tx_index"], data["other"]["rpc_address"]
    return info


def write_node_info(info: DefaultNodeInfo) -> Json:
    """A `node_info`."""
    return {
        "protocol_version": {name: str(getattr(info.protocol_version, name)) for name in _PROTOCOLS},
        "id": info.default_node_id,
        "channels": write_hex(info.channels),
        **{name: getattr(info, name) for name in _TEXTS},
        "other": {"tx_index": info.other.tx_index, "rpc_address": info.other.rpc_address},
    }

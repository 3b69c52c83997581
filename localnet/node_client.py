"""Queries a local node's height."""

import json
from http.client import HTTPConnection, HTTPException

_TIMEOUT_S = 5.0


def node_height(port: int, chain_id: str) -> int | None:
    """Height of the node of `chain_id` at 127.0.0.1:`port`.

    None if it does not respond or is another chain's.
    """
    connection = HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)
    try:
        connection.request("GET", "/status")
        said = json.loads(connection.getresponse().read())["result"]
        if said["node_info"]["network"] != chain_id:
            return None
        return int(said["sync_info"]["latest_block_height"])
    except (OSError, HTTPException, ValueError, KeyError):
        return None
    finally:
        connection.close()

"""Answers of nodes, as recordings have them."""

from tests.packet_attributes import attributes


def header(height, chain="a-1"):
    return {"header": {"chain_id": chain, "height": str(height), "time": f"2024-01-02T03:04:{height:02d}Z"}}


def sent(sequence):
    found = attributes(sequence, "channel-0", "channel-7", until=1_700_000_000 * 10**9)
    return {
        "type": "send_packet",
        "attributes": [{"key": key, "value": value} for key, value in found.items()],
    }


def results(height, sequence):
    return {"height": str(height), "txs_results": [{"events": [sent(sequence)]}]}

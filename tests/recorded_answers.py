"""Answers of nodes, as recordings have them."""


def header(height, chain="a-1"):
    return {"header": {"chain_id": chain, "height": str(height), "time": f"2024-01-02T03:04:{height:02d}Z"}}


def sent(sequence):
    found = {
        "packet_sequence": str(sequence),
        "packet_timeout_height": "0-0",
        "packet_timeout_timestamp": "1700000000000000000",
        "packet_src_port": "transfer",
        "packet_src_channel": "channel-0",
        "packet_dst_port": "transfer",
        "packet_dst_channel": "channel-7",
    }
    return {
        "type": "send_packet",
        "attributes": [{"key": key, "value": value} for key, value in found.items()],
    }


def results(height, sequence):
    return {"height": str(height), "txs_results": [{"events": [sent(sequence)]}]}

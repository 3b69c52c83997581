"""What a user of cosmpy does, run by the Python that has cosmpy: balance, send, IBC transfer, wait, events.

Arguments: address of the gRPC server, chain id, private key (hex), receiver; port, channel and receiver of
the transfer. Prints what it saw as JSON.
"""

import json
import sys

from cosmpy.aerial.client import LedgerClient, NetworkConfig
from cosmpy.aerial.client.utils import prepare_and_broadcast_basic_transaction
from cosmpy.aerial.tx import Transaction
from cosmpy.aerial.wallet import LocalWallet
from cosmpy.crypto.keypairs import PrivateKey
from cosmpy.protos.cosmos.base.v1beta1.coin_pb2 import Coin
from cosmpy.protos.ibc.applications.transfer.v1.tx_pb2 import MsgTransfer


def network(grpc, chain_id):
    return NetworkConfig(
        chain_id=chain_id,
        fee_minimum_gas_price=0.001,
        fee_denomination="stake",
        staking_denomination="stake",
        url=f"grpc+http://{grpc}",
    )


def transfer(sender, port, channel, receiver):
    message = MsgTransfer(
        source_port=port,
        source_channel=channel,
        token=Coin(denom="stake", amount="11"),
        sender=str(sender.address()),
        receiver=receiver,
        timeout_timestamp=2**62,
    )
    tx = Transaction()
    tx.add_message(message)
    return tx


def shown(done):
    return {
        "hash": done.tx_hash,
        "height": done.response.height,
        "code": done.response.code,
        "gas_wanted": done.response.gas_wanted,
        "gas_used": done.response.gas_used,
        "events": sorted(done.response.events),
    }


def main(grpc, chain_id, key, receiver, port, channel, far_receiver):
    client = LedgerClient(network(grpc, chain_id))
    wallet = LocalWallet(PrivateKey(bytes.fromhex(key)), prefix="cosmos")
    seen = {
        "before": client.query_bank_balance(wallet.address()),
        "account": [getattr(client.query_account(wallet.address()), name) for name in ("number", "sequence")],
        "height": client.query_height(),
        "chain_id": client.query_chain_id(),
        "app_name": client.query_node_info().app_name,
    }
    seen["send"] = shown(client.send_tokens(receiver, 5, "stake", wallet).wait_to_complete())
    done = prepare_and_broadcast_basic_transaction(
        client, transfer(wallet, port, channel, far_receiver), wallet
    )
    seen["transfer"] = shown(done.wait_to_complete())
    seen["after"] = client.query_bank_balance(wallet.address())
    seen["receiver"] = [[coin.denom, int(coin.amount)] for coin in client.query_bank_all_balances(receiver)]
    seen["sequence"] = client.query_account(wallet.address()).sequence
    print(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])

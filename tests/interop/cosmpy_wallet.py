"""What a user of cosmpy does, run by the Python that has cosmpy: balance, send, transfer, wait, errors.

Arguments: address of the gRPC server, chain id, private key (hex), receiver; port, channel and receiver of
the transfer. Prints what it saw as JSON.
"""

import json
import sys

import grpc
from cosmpy.aerial.client import LedgerClient, NetworkConfig
from cosmpy.aerial.client.bank import create_bank_send_msg
from cosmpy.aerial.client.utils import prepare_and_broadcast_basic_transaction
from cosmpy.aerial.tx import Transaction, TxFee
from cosmpy.aerial.types import Account
from cosmpy.aerial.wallet import LocalWallet
from cosmpy.crypto.address import Address
from cosmpy.crypto.keypairs import PrivateKey
from cosmpy.protos.cosmos.base.v1beta1.coin_pb2 import Coin
from cosmpy.protos.ibc.applications.transfer.v1.tx_pb2 import MsgTransfer


def network(address, chain_id):
    return NetworkConfig(
        chain_id=chain_id,
        fee_minimum_gas_price=0.001,
        fee_denomination="stake",
        staking_denomination="stake",
        url=f"grpc+http://{address}",
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
        "values": {kind: done.response.events.get(kind) for kind in ("transfer", "send_packet")},
        "hash": done.tx_hash,
        "height": done.response.height,
        "code": done.response.code,
        "gas_wanted": done.response.gas_wanted,
        "gas_used": done.response.gas_used,
        "events": sorted(done.response.events),
    }


def refusal(ask):
    """How a call ends: the exception's name, and what it has of a gRPC status, gas and text."""
    try:
        ask()
    except grpc.RpcError as error:
        return {"kind": "RpcError", "code": error.code().name, "text": error.details()}
    except RuntimeError as error:
        gas = [getattr(error, name, None) for name in ("gas_wanted", "gas_used")]
        return {"kind": type(error).__name__, "gas": gas, "text": str(error)}
    return {"kind": "", "text": ""}


def refusals(client, wallet, receiver):
    """Everything a wallet does wrong, and how cosmpy tells it."""
    nobody = Address(bytes(range(20)), "cosmos")
    account = client.query_account(wallet.address())
    ahead = Account(address=account.address, number=account.number, sequence=account.sequence + 7)

    def send(amount=1, fee=None, **more):
        done = client.send_tokens(receiver, amount, "stake", wallet, fee=fee, **more)
        return done.wait_to_complete()

    def send_ahead():
        tx = Transaction()
        tx.add_message(create_bank_send_msg(wallet.address(), Address(receiver), 1, "stake"))
        fee = TxFee([], 200_000)
        return prepare_and_broadcast_basic_transaction(client, tx, wallet, account=ahead, fee=fee)

    gas_used = send(1, TxFee([], 200_000)).response.gas_used
    return {
        "unknown account": refusal(lambda: client.query_account(nobody)),
        "unknown tx": refusal(lambda: client.query_tx("AB" * 32)),
        "future block": refusal(lambda: client.query_block(10**9)),
        "too much, simulated": refusal(lambda: send(10**30)),
        "too much": refusal(lambda: send(10**30, TxFee([], 200_000))),
        "no gas for signing": refusal(lambda: send(1, TxFee([], 1_000))),
        "no gas for the message": refusal(lambda: send(1, TxFee([], gas_used - 3_000))),
        "sequence": refusal(send_ahead),
        "too late": refusal(lambda: send(1, TxFee([], 200_000), timeout_height=1)),
        "memo": refusal(lambda: send(1, TxFee([], 200_000), memo="m" * 257)),
    }


def main(address, chain_id, key, receiver, port, channel, far_receiver):
    client = LedgerClient(network(address, chain_id), query_interval_secs=1)
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
    seen["refused"] = refusals(client, wallet, receiver)
    print(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Cases of the parts around messages: every field of a transaction, signed or not, and its simulation."""

from collections.abc import Iterator
from functools import partial

from conformance.fuzz.block_stage import GAS, Stage
from conformance.fuzz.case import Attack, Case
from conformance.fuzz.grammar import Write, written
from conformance.fuzz.worlds import Worlds
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.core.crypto import secp256k1
from pyibc.core.wire.tx import DIRECT, Fee, SignerInfo, encode_auth_info, encode_body, encode_tx, sign_bytes
from pyibc.proto.cosmos.crypto.secp256k1.keys_pb2 import PubKey
from pyibc.proto.cosmos.tx.v1beta1 import tx_pb2

_HIDDEN = {
    "cosmos.tx.v1beta1.TxRaw.body_bytes": "cosmos.tx.v1beta1.TxBody",
    "cosmos.tx.v1beta1.TxRaw.auth_info_bytes": "cosmos.tx.v1beta1.AuthInfo",
}


def transaction_cases(made: Worlds, *, every: bool = False) -> Iterator[Case]:
    """Return badly signed transactions in CheckTx and simulation, and correctly signed ones in a block."""
    draft = _Draft(made.last)
    for each in written(tx_pb2.TxRaw, draft.whole(), _HIDDEN, every=every):
        yield Case(f"unsigned {each.name}", partial(_admitted, made.last, each.write))
        yield Case(f"simulated {each.name}", partial(_simulated, made.last, each.write))
    for each in written(tx_pb2.TxBody, draft.body, every=every):
        yield Case(f"signed body {each.name}", partial(draft.with_body, each.write), executed=True)
    for each in written(tx_pb2.AuthInfo, draft.auth, every=every):
        yield Case(f"signed auth_info {each.name}", partial(draft.with_auth, each.write), executed=True)


def _admitted(stage: Stage, write: Write, size: int) -> Attack:
    return stage.admission(write(size))


def _simulated(stage: Stage, write: Write, size: int) -> Attack:
    return stage.simulation(write(size))


class _Draft:
    """A payment of an account to itself, to be signed in any form."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._key, address = stage.payer()
        account = stage.chain.app.accounts.get(stage.context(), address.raw)
        if account is None:
            raise LookupError(f"{address.text} has no account")
        self._number = account.number
        send = AnyMessage(MSG_SEND, encode_send(address.text, address.text, (coin("stake", 1),)))
        self.body = encode_body([send])
        public = AnyMessage(secp256k1.TYPE_URL, PubKey(key=self._key.public_key).SerializeToString())
        self.auth = encode_auth_info([SignerInfo(public, DIRECT, account.sequence)], Fee((), GAS))

    def whole(self) -> bytes:
        """Return the signed transaction."""
        return self._signed(self.body, self.auth)

    def with_body(self, write: Write, size: int) -> Attack:
        """Return an input with another TxBody, executed in a block."""
        return self._stage.delivery(self._signed(write(size), self.auth))

    def with_auth(self, write: Write, size: int) -> Attack:
        """Return an input with another AuthInfo, executed in a block."""
        return self._stage.delivery(self._signed(self.body, write(size)))

    def _signed(self, body: bytes, auth: bytes) -> bytes:
        document = sign_bytes(body, auth, self._stage.chain.chain_id, self._number)
        return encode_tx(body, auth, [self._key.sign(document)])

import pytest

from pyibc.proto.cosmos.tx.v1beta1.tx_pb2 import AuthInfo, TxBody, TxRaw


@pytest.fixture
def tx_of():
    """Encode a transaction with `messages`; `more` are fields of its fee."""

    def make(*messages, memo="", coins=(), **more):
        body, auth = TxBody(memo=memo), AuthInfo()
        for message in messages:
            url = f"/{message.DESCRIPTOR.full_name}"
            body.messages.add(type_url=url, value=message.SerializeToString())
        for denom, amount in coins:
            auth.fee.amount.add(denom=denom, amount=amount)
        for field, value in more.items():
            setattr(auth.fee, field, value)
        raw = TxRaw(body_bytes=body.SerializeToString(), auth_info_bytes=auth.SerializeToString())
        return raw.SerializeToString()

    return make

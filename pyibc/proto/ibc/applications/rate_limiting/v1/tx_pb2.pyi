from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class MsgAddRateLimit(_message.Message):
    __slots__ = ("signer", "denom", "channel_or_client_id", "max_percent_send", "max_percent_recv", "duration_hours")
    SIGNER_FIELD_NUMBER: _ClassVar[int]
    DENOM_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_OR_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_PERCENT_SEND_FIELD_NUMBER: _ClassVar[int]
    MAX_PERCENT_RECV_FIELD_NUMBER: _ClassVar[int]
    DURATION_HOURS_FIELD_NUMBER: _ClassVar[int]
    signer: str
    denom: str
    channel_or_client_id: str
    max_percent_send: str
    max_percent_recv: str
    duration_hours: int
    def __init__(self, signer: _Optional[str] = ..., denom: _Optional[str] = ..., channel_or_client_id: _Optional[str] = ..., max_percent_send: _Optional[str] = ..., max_percent_recv: _Optional[str] = ..., duration_hours: _Optional[int] = ...) -> None: ...

class MsgAddRateLimitResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class MsgUpdateRateLimit(_message.Message):
    __slots__ = ("signer", "denom", "channel_or_client_id", "max_percent_send", "max_percent_recv", "duration_hours")
    SIGNER_FIELD_NUMBER: _ClassVar[int]
    DENOM_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_OR_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_PERCENT_SEND_FIELD_NUMBER: _ClassVar[int]
    MAX_PERCENT_RECV_FIELD_NUMBER: _ClassVar[int]
    DURATION_HOURS_FIELD_NUMBER: _ClassVar[int]
    signer: str
    denom: str
    channel_or_client_id: str
    max_percent_send: str
    max_percent_recv: str
    duration_hours: int
    def __init__(self, signer: _Optional[str] = ..., denom: _Optional[str] = ..., channel_or_client_id: _Optional[str] = ..., max_percent_send: _Optional[str] = ..., max_percent_recv: _Optional[str] = ..., duration_hours: _Optional[int] = ...) -> None: ...

class MsgUpdateRateLimitResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class MsgRemoveRateLimit(_message.Message):
    __slots__ = ("signer", "denom", "channel_or_client_id")
    SIGNER_FIELD_NUMBER: _ClassVar[int]
    DENOM_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_OR_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    signer: str
    denom: str
    channel_or_client_id: str
    def __init__(self, signer: _Optional[str] = ..., denom: _Optional[str] = ..., channel_or_client_id: _Optional[str] = ...) -> None: ...

class MsgRemoveRateLimitResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class MsgResetRateLimit(_message.Message):
    __slots__ = ("signer", "denom", "channel_or_client_id")
    SIGNER_FIELD_NUMBER: _ClassVar[int]
    DENOM_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_OR_CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    signer: str
    denom: str
    channel_or_client_id: str
    def __init__(self, signer: _Optional[str] = ..., denom: _Optional[str] = ..., channel_or_client_id: _Optional[str] = ...) -> None: ...

class MsgResetRateLimitResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

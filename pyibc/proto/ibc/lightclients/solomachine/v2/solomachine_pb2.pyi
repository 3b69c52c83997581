from google.protobuf import any_pb2 as _any_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ClientState(_message.Message):
    __slots__ = ("sequence", "is_frozen", "consensus_state", "allow_update_after_proposal")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    IS_FROZEN_FIELD_NUMBER: _ClassVar[int]
    CONSENSUS_STATE_FIELD_NUMBER: _ClassVar[int]
    ALLOW_UPDATE_AFTER_PROPOSAL_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    is_frozen: bool
    consensus_state: ConsensusState
    allow_update_after_proposal: bool
    def __init__(self, sequence: _Optional[int] = ..., is_frozen: _Optional[bool] = ..., consensus_state: _Optional[_Union[ConsensusState, _Mapping[str, object]]] = ..., allow_update_after_proposal: _Optional[bool] = ...) -> None: ...

class ConsensusState(_message.Message):
    __slots__ = ("public_key", "diversifier", "timestamp")
    PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
    DIVERSIFIER_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    public_key: _any_pb2.Any
    diversifier: str
    timestamp: int
    def __init__(self, public_key: _Optional[_Union[_any_pb2.Any, _Mapping[str, object]]] = ..., diversifier: _Optional[str] = ..., timestamp: _Optional[int] = ...) -> None: ...

"""Fields that a message's definition does not have: a transaction with any is refused."""

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet


def has_unknown_fields(message: Message) -> bool:
    """Whether `message`, or a message in it, kept bytes of a field nobody knows."""
    if len(UnknownFieldSet(message)):
        return True
    for field, value in message.ListFields():
        if field.message_type is not None:
            parts = value if field.is_repeated else (value,)
            if any(has_unknown_fields(part) for part in parts):
                return True
    return False

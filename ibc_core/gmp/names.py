"""What calls go from and to, and how long their parts may be."""

PORT_ID = "gmpport"
VERSION = "ics27-2"

MAX_SENDER_SIZE = 2048
MAX_RECEIVER_SIZE = 2048
MAX_MEMO_SIZE = 32_768
MAX_PAYLOAD_SIZE = 32_768
MAX_SALT_SIZE = 32
"""Bytes, all of them."""

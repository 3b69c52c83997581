"""The wire: protobuf messages, and what turns them into the values of `ibc_core` and back."""

"""What the encodings of a payload are called: ICS-20 over IBC v2 has three."""

JSON = "application/json"
PROTOBUF = "application/x-protobuf"
ABI = "application/x-solidity-abi"

from google.protobuf.timestamp_pb2 import Timestamp as Timestamp

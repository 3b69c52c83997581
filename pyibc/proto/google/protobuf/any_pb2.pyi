from google.protobuf.any_pb2 import Any as Any

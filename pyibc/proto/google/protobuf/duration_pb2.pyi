from google.protobuf.duration_pb2 import Duration as Duration

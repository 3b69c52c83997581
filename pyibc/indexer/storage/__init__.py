"""Object storage: exports, segments and result tables in a bucket with the S3 protocol.

client     bucket client: reads, conditional writes, listings; errors without secrets
objects    objects and folders of objects, with the methods of `Path` that the indexer uses
locations  operations on local paths and objects alike: move, replace, sizes
lease      lock for one run at a time on results in a bucket
copies     local copies of objects for an engine in this process
logs       synchronization of a Delta log with a bucket
jars       libraries for object access by Spark
"""

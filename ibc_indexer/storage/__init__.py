"""Object storage: exports, sealed ranges and result tables in a bucket that speaks S3's protocol.

client     a bucket: reads, conditional writes, lists; every fault has a name, and no secret is in it
objects    an object or a folder of them, with as much of `Path` as the indexer uses
locations  what is the same for a path and an object: moving, replacing, sizes
lease      one run at a time on a bucket: what a lock is on a file system
copies     objects that an engine in this process reads, on the disk
logs       a table's log in Delta's form, carried to a bucket
jars       what Spark needs to read and write objects
"""

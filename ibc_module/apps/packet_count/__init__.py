"""Counts the packets of a port: a middleware (ICS-30) that refuses nothing, and the one to read first.

docs/middleware.md tells how to use it and how to write another.
"""

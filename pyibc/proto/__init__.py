"""The wire's messages, a module for a file of proto/, in a descriptor pool of their own.

docs/adr/0003 says why.
"""

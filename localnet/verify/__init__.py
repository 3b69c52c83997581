"""Walks a home that no process uses, and tells what is wrong in it."""

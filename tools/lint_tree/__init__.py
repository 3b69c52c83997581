"""Rules about the source tree, run by one program that parses each file once."""

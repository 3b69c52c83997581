"""Code to copy: a tiny host, a key-value chain under CometBFT, an application, a light client.

It may change with every release, unlike public names. `prometheus` has alert rules and dashboards.
"""

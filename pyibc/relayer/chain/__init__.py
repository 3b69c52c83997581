"""Access to one chain: endpoint interface, heights, queries, transaction inclusion, simulation."""

"""ICS-20 fungible token transfer over IBC v1 channels and IBC v2 clients."""

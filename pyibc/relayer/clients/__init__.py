"""Light clients: creation, updates, upgrades, and misbehaviour detection, with one driver per client type."""

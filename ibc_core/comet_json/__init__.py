"""CometBFT's JSON, read and written: RPC answers and files (headers: light_client.tendermint.comet_json)."""

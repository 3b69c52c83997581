"""Messages of ibc-go's Msg services to the values of `ibc_core`, and back.

`decode_*` takes the bytes of an Any in a transaction, reads them strictly (`ibc_core/wire/strict.py`) and
raises TxDecode. `encode_*` gives the bytes that Go would write.
"""

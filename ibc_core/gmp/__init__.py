"""General message passing (ICS-27 v2, ibc-go's 27-gmp): an account here acts for a sender there."""

"""Rate limits of ICS-20 (ibc-go's rate limiting): what is stored, and the authority's messages."""

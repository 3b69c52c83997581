module pyibc/conformance/oracle

go 1.24

require (
	github.com/cometbft/cometbft v0.39.0
	github.com/cosmos/cosmos-sdk v0.54.0
	github.com/cosmos/ibc-go/v11 v11.2.0
)

replace github.com/syndtr/goleveldb => github.com/syndtr/goleveldb v1.0.1-0.20210819022825-2ae1ddf74ef7

// One abci_query of a Cosmos chain, verified by CometBFT's own light client: headers by its verifier, from a
// trusted block on, and the proof by its proof runtime with the Cosmos SDK's ICS-23 operations.
//
//	lightquery CHAIN-ID PRIMARY WITNESS TRUSTED-HEIGHT TRUSTED-HASH PATH KEY-HEX
//
// Prints {"height", "value"}; exit code 1 and the reason where something does not hold.
package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	storetypes "cosmossdk.io/store/types"
	dbm "github.com/cometbft/cometbft-db"
	"github.com/cometbft/cometbft/light"
	lrpc "github.com/cometbft/cometbft/light/rpc"
	dbs "github.com/cometbft/cometbft/light/store/db"
	rpcclient "github.com/cometbft/cometbft/rpc/client"
	rpchttp "github.com/cometbft/cometbft/rpc/client/http"
)

func run(args []string) error {
	if len(args) != 7 {
		return fmt.Errorf("usage: lightquery CHAIN-ID PRIMARY WITNESS TRUSTED-HEIGHT TRUSTED-HASH PATH KEY-HEX")
	}
	height, err := strconv.ParseInt(args[3], 10, 64)
	if err != nil {
		return err
	}
	hash, err := hex.DecodeString(args[4])
	if err != nil {
		return err
	}
	key, err := hex.DecodeString(args[6])
	if err != nil {
		return err
	}
	ctx := context.Background()
	trust := light.TrustOptions{Period: 24 * time.Hour, Height: height, Hash: hash}
	store := dbs.New(dbm.NewMemDB(), args[0])
	chain, err := light.NewHTTPClient(ctx, args[0], trust, args[1], []string{args[2]}, store)
	if err != nil {
		return err
	}
	node, err := rpchttp.New(args[1], "/websocket")
	if err != nil {
		return err
	}
	client := lrpc.NewClient(node, chain, lrpc.KeyPathFn(lrpc.DefaultMerkleKeyPathFn()))
	client.RegisterOpDecoder(storetypes.ProofOpIAVLCommitment, storetypes.CommitmentOpDecoder)
	client.RegisterOpDecoder(storetypes.ProofOpSimpleMerkleCommitment, storetypes.CommitmentOpDecoder)
	status, err := node.Status(ctx)
	if err != nil {
		return err
	}
	// The state of a block is proven by the header of the next one, which the last block has not got yet.
	proven := rpcclient.ABCIQueryOptions{Height: status.SyncInfo.LatestBlockHeight - 1, Prove: true}
	found, err := client.ABCIQueryWithOptions(ctx, args[5], key, proven)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"height": found.Response.Height,
		"value":  hex.EncodeToString(found.Response.Value),
	})
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Command oracle answers questions about bytes as ibc-go, ics23, the Cosmos SDK and CometBFT answer them.
//
// On standard input: cases, each a byte for its kind, a varint for the number of its arguments, and each
// argument as a varint of its length and its bytes. On standard output, for each case: a varint of the length of
// the answer, and the answer: `ok`, followed by what was read where the kind says so, or `codespace/code` of the
// error. A panic is `undefined/111222`, as baseapp reports a recovered one. The end of input ends the program.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	errorsmod "cosmossdk.io/errors"
	"cosmossdk.io/log/v2"
	dbm "github.com/cosmos/cosmos-db"
	"github.com/cosmos/gogoproto/proto"
	ics23 "github.com/cosmos/ics23/go"

	abci "github.com/cometbft/cometbft/abci/types"
	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"
	cmttypes "github.com/cometbft/cometbft/types"

	"github.com/cosmos/cosmos-sdk/codec"
	"github.com/cosmos/cosmos-sdk/codec/unknownproto"
	"github.com/cosmos/cosmos-sdk/crypto/keys/secp256k1"
	"github.com/cosmos/cosmos-sdk/store/v2/dbadapter"
	simtestutil "github.com/cosmos/cosmos-sdk/testutil/sims"
	sdk "github.com/cosmos/cosmos-sdk/types"
	authtypes "github.com/cosmos/cosmos-sdk/x/auth/types"
	banktypes "github.com/cosmos/cosmos-sdk/x/bank/types"

	transfertypes "github.com/cosmos/ibc-go/v11/modules/apps/transfer/types"
	clienttypes "github.com/cosmos/ibc-go/v11/modules/core/02-client/types"
	commitmenttypes "github.com/cosmos/ibc-go/v11/modules/core/23-commitment/types"
	commitmenttypesv2 "github.com/cosmos/ibc-go/v11/modules/core/23-commitment/types/v2"
	host "github.com/cosmos/ibc-go/v11/modules/core/24-host"
	ibctm "github.com/cosmos/ibc-go/v11/modules/light-clients/07-tendermint"
	ibctesting "github.com/cosmos/ibc-go/v11/testing"
	"github.com/cosmos/ibc-go/v11/testing/simapp"
)

var app = simapp.NewSimApp(log.NewNopLogger(), dbm.NewMemDB(), nil, true, simtestutil.EmptyAppOptions{})

type kind func(args [][]byte) ([]byte, error)

var kinds = map[byte]kind{
	'c': checkTx,
	'p': proof,
	'h': header,
	't': transfer,
	'm': memo,
	'i': account,
	'v': version,
	'g': call,
	'a': acknowledgement,
}

// checkTx offers a transaction to the mempool of a chain with one account, number 0, whose key is 32 bytes of 1:
// (raw). What is accepted is forgotten again.
func checkTx(args [][]byte) ([]byte, error) {
	if chain == nil {
		chain = newChain()
	}
	said, err := chain.CheckTx(&abci.RequestCheckTx{Tx: args[0], Type: abci.CheckTxType_New})
	if err != nil {
		return nil, err
	}
	if said.Code != 0 {
		return nil, errorsmod.ABCIError(said.Codespace, said.Code, said.Log)
	}
	forget(args[0])
	return nil, nil
}

// forget undoes what an accepted transaction left in the check state: the account's sequence and key. One that pays,
// or whose nonce is kept, takes a block, which undoes everything: it costs as much as a hundred transactions, and
// leaves a version of every store in memory.
func forget(raw []byte) {
	decoded, err := chain.TxConfig().TxDecoder()(raw)
	must(err)
	fee, isFee := decoded.(sdk.FeeTx)
	unordered, isUnordered := decoded.(sdk.TxWithUnordered)
	if !isFee || !fee.GetFee().Empty() || !isUnordered || unordered.GetUnordered() {
		nextBlock(chain)
		return
	}
	chain.AccountKeeper.SetAccount(chain.NewContext(true), proto.Clone(untouched.(proto.Message)).(sdk.AccountI))
}

const (
	chainID   = "oracle-1"
	blockTime = 1_700_000_000 // unix seconds, of every block
)

var chain *simapp.SimApp

// outside lets ibctesting run outside of `go test`: what it requires and does not get is a panic.
type outside struct{ testing.TB }

func (outside) Helper()                        {}
func (outside) Logf(string, ...any)            {}
func (outside) Errorf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }
func (outside) FailNow()                       { panic("failed") }

func newChain() *simapp.SimApp {
	key := secp256k1.PrivKey{Key: bytes.Repeat([]byte{1}, 32)}
	account := authtypes.NewBaseAccountWithAddress(sdk.AccAddress(key.PubKey().Address()))
	validator, _ := cmttypes.RandValidator(false, 100)
	set := cmttypes.NewValidatorSet([]*cmttypes.Validator{validator})
	made := ibctesting.SetupWithGenesisValSet(outside{}, set, []authtypes.GenesisAccount{account}, chainID,
		sdk.DefaultPowerReduction, banktypes.Balance{
			Address: account.Address, Coins: sdk.NewCoins(sdk.NewInt64Coin("stake", 1_000_000_000_000)),
		})
	app := made.(*simapp.SimApp)
	validators = set.Hash()
	nextBlock(app)
	untouched = app.AccountKeeper.GetAccount(app.NewContext(true), account.GetAddress())
	return app
}

// untouched is the account as no transaction has used it yet.
var untouched sdk.AccountI

var validators []byte

func nextBlock(app *simapp.SimApp) {
	_, err := app.FinalizeBlock(&abci.RequestFinalizeBlock{
		Height: app.LastBlockHeight() + 1, Time: time.Unix(blockTime, 0).UTC(), NextValidatorsHash: validators,
	})
	must(err)
	_, err = app.Commit()
	must(err)
}

// proof verifies a chained proof: (root, value, MerkleProof, number of keys, keys..., ProofSpecs...);
// an empty value asks for absence.
func proof(args [][]byte) ([]byte, error) {
	root := commitmenttypes.NewMerkleRoot(args[0])
	var given commitmenttypes.MerkleProof
	if err := app.AppCodec().Unmarshal(args[2], &given); err != nil {
		return nil, errorsmod.Wrap(commitmenttypes.ErrInvalidProof, err.Error())
	}
	count := int(args[3][0])
	path := commitmenttypesv2.NewMerklePath(args[4 : 4+count]...)
	var specs []*ics23.ProofSpec
	for _, raw := range args[4+count:] {
		spec := new(ics23.ProofSpec)
		if err := spec.Unmarshal(raw); err != nil {
			return nil, err
		}
		specs = append(specs, spec)
	}
	if len(args[1]) == 0 {
		return nil, given.VerifyNonMembership(specs, root, path)
	}
	return nil, given.VerifyMembership(specs, root, path, args[1])
}

// header verifies a 07-tendermint header by a client: (ClientState, ConsensusState, its revision and height as
// big-endian 16 bytes, Header, block time as big-endian 8 bytes of unix nanoseconds).
func header(args [][]byte) ([]byte, error) {
	cdc := app.AppCodec()
	var (
		client    ibctm.ClientState
		consensus ibctm.ConsensusState
		given     ibctm.Header
	)
	for at, message := range map[int]codec.ProtoMarshaler{0: &client, 1: &consensus} {
		if err := cdc.Unmarshal(args[at], message); err != nil {
			return nil, fmt.Errorf("the case is malformed: %w", err)
		}
	}
	// as the decoder of transactions does with what an Any holds
	if _, err := unknownproto.RejectUnknownFields(args[3], &given, true, app.InterfaceRegistry()); err != nil {
		return nil, errorsmod.Wrap(errDecode, err.Error())
	}
	if err := cdc.Unmarshal(args[3], &given); err != nil {
		return nil, errorsmod.Wrap(errDecode, err.Error())
	}
	if err := given.ValidateBasic(); err != nil {
		return nil, err
	}
	store := dbadapter.Store{DB: dbm.NewMemDB()}
	height := clienttypes.NewHeight(binary.BigEndian.Uint64(args[2]), binary.BigEndian.Uint64(args[2][8:]))
	store.Set(host.ConsensusStateKey(height), clienttypes.MustMarshalConsensusState(cdc, &consensus))
	now := time.Unix(0, int64(binary.BigEndian.Uint64(args[4]))).UTC()
	ctx := sdk.NewContext(nil, cmtproto.Header{Time: now}, false, log.NewNopLogger())
	return nil, client.VerifyClientMessage(ctx, cdc, store, &given)
}

var errDecode = errorsmod.Register("oracle", 2, "does not decode")

// transfer reads the data of an ICS-20 packet: (data, encoding); answers the fields, each behind its length.
func transfer(args [][]byte) ([]byte, error) {
	read, err := transfertypes.UnmarshalPacketData(args[0], transfertypes.V1, string(args[1]))
	if err != nil {
		return nil, err
	}
	var told []byte
	for _, field := range []string{
		read.Token.Denom.Path(), read.Token.Amount, read.Sender, read.Receiver, read.Memo,
	} {
		told = append(binary.AppendUvarint(told, uint64(len(field))), field...)
	}
	return told, nil
}

func answer(name byte, args [][]byte) (said []byte) {
	defer func() {
		if recovered := recover(); recovered != nil {
			said = []byte("undefined/111222")
		}
	}()
	told, err := kinds[name](args)
	if err != nil {
		codespace, code, _ := errorsmod.ABCIInfo(err, false)
		return fmt.Appendf(nil, "%s/%d", codespace, code)
	}
	return append([]byte("ok"), told...)
}

func read(in *bufio.Reader) ([]byte, error) {
	size, err := binary.ReadUvarint(in)
	if err != nil {
		return nil, err
	}
	part := make([]byte, size)
	_, err = io.ReadFull(in, part)
	return part, err
}

func main() {
	in, out := bufio.NewReaderSize(os.Stdin, 1<<20), bufio.NewWriterSize(os.Stdout, 1<<20)
	for {
		name, err := in.ReadByte()
		if errors.Is(err, io.EOF) {
			return
		}
		must(err)
		count, err := binary.ReadUvarint(in)
		must(err)
		args := make([][]byte, count)
		for at := range args {
			args[at], err = read(in)
			must(err)
		}
		said := answer(name, args)
		_, err = out.Write(append(binary.AppendUvarint(nil, uint64(len(said))), said...))
		must(err)
		if in.Buffered() == 0 {
			must(out.Flush())
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

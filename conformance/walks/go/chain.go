package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	dbm "github.com/cosmos/cosmos-db"
	"github.com/cosmos/gogoproto/proto"
	"github.com/cosmos/iavl"
	iavldb "github.com/cosmos/iavl/db"

	errorsmod "cosmossdk.io/errors"
	"cosmossdk.io/log/v2"
	sdkmath "cosmossdk.io/math"

	abci "github.com/cometbft/cometbft/abci/types"
	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"

	"github.com/cosmos/cosmos-sdk/baseapp"
	"github.com/cosmos/cosmos-sdk/codec"
	codectypes "github.com/cosmos/cosmos-sdk/codec/types"
	"github.com/cosmos/cosmos-sdk/store/v2"
	storetypes "github.com/cosmos/cosmos-sdk/store/v2/types"
	simtestutil "github.com/cosmos/cosmos-sdk/testutil/sims"
	sdk "github.com/cosmos/cosmos-sdk/types"
	sdkerrors "github.com/cosmos/cosmos-sdk/types/errors"
	txtypes "github.com/cosmos/cosmos-sdk/types/tx"
	authtypes "github.com/cosmos/cosmos-sdk/x/auth/types"
	banktypes "github.com/cosmos/cosmos-sdk/x/bank/types"
	govtypes "github.com/cosmos/cosmos-sdk/x/gov/types"

	gmptypes "github.com/cosmos/ibc-go/v11/modules/apps/27-gmp/types"
	icatypes "github.com/cosmos/ibc-go/v11/modules/apps/27-interchain-accounts/types"
	pfmtypes "github.com/cosmos/ibc-go/v11/modules/apps/packet-forward-middleware/types"
	ratelimittypes "github.com/cosmos/ibc-go/v11/modules/apps/rate-limiting/types"
	transfertypes "github.com/cosmos/ibc-go/v11/modules/apps/transfer/types"
	ibcante "github.com/cosmos/ibc-go/v11/modules/core/ante"
	"github.com/cosmos/ibc-go/v11/modules/core/exported"
	ibctm "github.com/cosmos/ibc-go/v11/modules/light-clients/07-tendermint"
	"github.com/cosmos/ibc-go/v11/testing/simapp"
)

// watched are the stores that a transcript may hold and that are compared.
var watched = []string{"ibc", "transfer", "upgrade", "icacontroller", "icahost", "gmp", "packetfowardmiddleware", "ratelimit"}

// modules begin from their default genesis. The others (staking and what hangs on it) are left out.
var modules = []string{authtypes.ModuleName, banktypes.ModuleName, exported.ModuleName, transfertypes.ModuleName,
	ratelimittypes.ModuleName, pfmtypes.ModuleName, icatypes.ModuleName, gmptypes.ModuleName}

// Chain is a chain of the transcript, run by ibc-go's simapp.
type Chain struct {
	app      *simapp.SimApp
	id       string                       // its chain id now
	nextID   string                       // its chain id after this block
	header   cmtproto.Header              // of the last step
	state    map[string]map[string][]byte // the watched stores
	tree     *iavl.MutableTree            // the ibc store as the transcript has it
	root     string                       // its root at the start
	asking   bool                         // the mempool has been asked since the last step
	hostRan  bool                         // a host's message was skipped: balances are no longer known
	from, to []byte                       // authority: in the file, in the simapp
	stores   *hashed
	costs    *costs // nil: verdicts are wanted
}

// hashed is a multistore that says of its last version the hash that the file has: nothing is ever committed in it.
type hashed struct {
	storetypes.CommitMultiStore
	hash []byte
}

func (h *hashed) LastCommitID() storetypes.CommitID {
	id := h.CommitMultiStore.LastCommitID()
	if h.hash != nil {
		id.Hash = h.hash
	}
	return id
}

// NewChain makes a chain as it is before its first step.
func NewChain(start *ChainStart, authority string) (c *Chain, err error) {
	c = &Chain{id: start.ChainID, state: map[string]map[string][]byte{}}
	if gov := authtypes.NewModuleAddress(govtypes.ModuleName).String(); authority != "" && authority != gov {
		if len(authority) != len(gov) { // it is exchanged inside encoded messages
			return nil, fmt.Errorf("authority must have %d characters, as %s", len(gov), gov)
		}
		c.from, c.to = []byte(authority), []byte(gov)
	}
	db := dbm.NewMemDB()
	c.stores = &hashed{CommitMultiStore: store.NewCommitMultiStore(db, log.NewNopLogger())}
	keepHash := func(app *baseapp.BaseApp) { app.SetCMS(c.stores) }
	c.app = simapp.NewSimApp(log.NewNopLogger(), db, nil, false, simtestutil.EmptyAppOptions{}, baseapp.SetChainID(c.id), keepHash)
	mm := c.app.ModuleManager
	mm.OrderPreBlockers, mm.OrderBeginBlockers, mm.OrderEndBlockers = nil, []string{exported.ModuleName, ratelimittypes.ModuleName}, nil
	c.app.SetInitChainer(nil)
	// no signatures, sequences or fees; what is left looks at CheckTx only
	c.app.SetAnteHandler(sdk.ChainAnteDecorators(ibcante.NewRedundantRelayDecorator(c.app.IBCKeeper)))
	var keys []storetypes.StoreKey
	for _, name := range watched {
		keys = append(keys, c.app.GetKey(name))
	}
	c.app.CommitMultiStore().AddListeners(keys)
	if err := c.app.LoadLatestVersion(); err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("initial state: %v", r)
		}
	}()
	return c, c.begin(start)
}

// begin puts the initial state in place: default genesis, balances, then the stores of the transcript.
func (c *Chain) begin(start *ChainStart) error {
	ctx := c.app.NewUncachedContext(false, cmtproto.Header{ChainID: c.id, Height: start.Height})
	gen := c.app.DefaultGenesis()
	bank := banktypes.DefaultGenesisState()
	coins := map[string]sdk.Coins{}
	for _, b := range start.Balances {
		amount, ok := sdkmath.NewIntFromString(b.Amount)
		if !ok {
			return fmt.Errorf("balance of %s: %q", b.Address, b.Amount)
		}
		coins[b.Address] = coins[b.Address].Add(sdk.NewCoin(b.Denom, amount))
	}
	for _, a := range sortedKeys(coins) {
		bank.Balances = append(bank.Balances, banktypes.Balance{Address: a, Coins: coins[a]})
	}
	gen[banktypes.ModuleName] = c.app.AppCodec().MustMarshalJSON(bank)
	for _, name := range modules {
		switch m := c.app.ModuleManager.Modules[name].(type) {
		case interface {
			InitGenesis(sdk.Context, codec.JSONCodec, json.RawMessage)
		}:
			m.InitGenesis(ctx, c.app.AppCodec(), gen[name])
		case interface {
			InitGenesis(sdk.Context, codec.JSONCodec, json.RawMessage) []abci.ValidatorUpdate
		}:
			m.InitGenesis(ctx, c.app.AppCodec(), gen[name])
		default:
			return fmt.Errorf("module %s has no genesis", name)
		}
	}
	for _, a := range sortedKeys(coins) {
		addr, err := sdk.AccAddressFromBech32(a)
		if err != nil {
			return err
		}
		if !c.app.AccountKeeper.HasAccount(ctx, addr) {
			c.app.AccountKeeper.SetAccount(ctx, c.app.AccountKeeper.NewAccountWithAddress(ctx, addr))
		}
	}
	c.takeWrites()
	for name, s := range start.Stores {
		if !slices.Contains(watched, name) {
			continue
		}
		kv := ctx.KVStore(c.app.GetKey(name))
		for k := range c.state[name] {
			kv.Delete([]byte(k))
		}
		for _, w := range s.Entries {
			kv.Set(w.Key, *w.Value)
		}
		c.takeWrites()
	}
	return c.plant(start)
}

// plant makes the ibc store's tree, saved once.
func (c *Chain) plant(start *ChainStart) error {
	s := start.Stores["ibc"]
	if s == nil {
		s = &Store{}
		for _, k := range sortedKeys(c.state["ibc"]) {
			v := c.state["ibc"][k]
			s.Entries = append(s.Entries, Write{[]byte(k), &v})
		}
	}
	if s.Version == 0 {
		s.Version = max(start.Height, 1)
	}
	c.tree = iavl.NewMutableTree(iavldb.NewMemDB(), 1000, true, log.NewNopLogger(), iavl.InitialVersionOption(uint64(s.Version)))
	var err error
	c.root, err = c.save(s.Entries, s.Version)
	return err
}

// save tells the tree a block's writes and saves them as a version; the versions between are empty.
func (c *Chain) save(ws []Write, version int64) (string, error) {
	for n := c.tree.Version() + 1; c.tree.Version() > 0 && n < version; n++ {
		if _, _, err := c.tree.SaveVersion(); err != nil {
			return "", err
		}
	}
	for _, w := range ws {
		if w.Value == nil {
			if _, _, err := c.tree.Remove(w.Key); err != nil {
				return "", err
			}
		} else if _, err := c.tree.Set(w.Key, append([]byte{}, *w.Value...)); err != nil {
			return "", err
		}
	}
	root, _, err := c.tree.SaveVersion()
	return strings.ToUpper(hex.EncodeToString(root)), err
}

// takeWrites takes what the watched stores were told since the last call, and brings c.state up to date.
func (c *Chain) takeWrites() map[string][]write {
	out := map[string][]write{}
	for _, kv := range c.app.CommitMultiStore().PopStateCache() {
		s := c.state[kv.StoreKey]
		if s == nil {
			s = map[string][]byte{}
			c.state[kv.StoreKey] = s
		}
		w := write{Write: Write{Key: kv.Key}, old: find(s, string(kv.Key))}
		if kv.Delete {
			delete(s, string(kv.Key))
		} else {
			v := append([]byte{}, kv.Value...)
			w.Value, s[string(kv.Key)] = &v, v
		}
		out[kv.StoreKey] = append(out[kv.StoreKey], w)
	}
	return out
}

// write is a write and what it wrote over.
type write struct {
	Write
	old *[]byte
}

// find is the value of a key, nil if there is none.
func find(s map[string][]byte, key string) *[]byte {
	if v, ok := s[key]; ok {
		return &v
	}
	return nil
}

// Repair writes to a store past ibc-go, so that it goes on from the file's state.
func (c *Chain) Repair(name string, ws []Write) {
	kv := c.app.NewUncachedContext(false, c.header).KVStore(c.app.GetKey(name))
	for _, w := range ws {
		if w.Value == nil {
			kv.Delete(w.Key)
		} else {
			kv.Set(w.Key, *w.Value)
		}
	}
	c.takeWrites()
}

// Balance is what an account holds after the last step.
func (c *Chain) Balance(b Balance) string {
	addr, err := sdk.AccAddressFromBech32(b.Address)
	if err != nil {
		return err.Error()
	}
	return c.app.BankKeeper.GetBalance(c.app.NewUncachedContext(false, c.header), addr, b.Denom).Amount.String()
}

// open begins a block. Nothing is ever committed in the multistore: it is told each time that this is the
// first height, so that any height (and any chain id) may come next.
func (c *Chain) open(h cmtproto.Header) error {
	baseapp.SetChainID(h.ChainID)(c.app.BaseApp)
	_, err := c.app.InitChain(&abci.RequestInitChain{ChainId: h.ChainID, InitialHeight: h.Height, Time: h.Time})
	return err
}

// Ran is what a block did.
type Ran struct {
	Acts   []*Outcome
	Txs    []*Outcome // nil: not run
	Events []abci.Event
	Writes map[string][]write
}

// Outcome is what came of a tx, action or question, by ibc-go.
type Outcome struct {
	Code      uint32
	Codespace string
	Log       string
	Events    []abci.Event
	Responses []Msg
	Result    *Result
	Broken    bool // the tx decoder panicked: no code is the right one
}

// Run runs a block: actions, begin block, txs; its writes are kept.
func (c *Chain) Run(s *Step) (ran *Ran, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic outside of a tx: %v", r)
		}
	}()
	next, err := hex.DecodeString(s.NextValsHash)
	if err != nil {
		return nil, err
	}
	c.header = cmtproto.Header{ChainID: c.id, Height: s.Height, Time: time.Unix(0, s.TimeNS).UTC(), NextValidatorsHash: next}
	c.asking = false
	if c.header.AppHash, err = appHash(s); err != nil {
		return nil, err
	}
	c.stores.hash = c.header.AppHash
	if err := c.open(c.header); err != nil {
		return nil, err
	}
	ran = &Ran{Txs: make([]*Outcome, len(s.Txs))}
	for _, a := range s.Actions {
		ran.Acts = append(ran.Acts, c.act(a))
	}
	var txs [][]byte
	var place []int
	if c.costs != nil {
		return c.timed(s, ran)
	}
	for i, tx := range s.Txs {
		if !ours(tx.Msgs) {
			c.hostRan = true
			continue
		}
		bz := c.encode(tx.Msgs)
		if r := c.decodePanics(bz); r != nil {
			ran.Txs[i] = &Outcome{Code: 1, Log: fmt.Sprint("tx decoder panics: ", r), Broken: true}
			continue
		}
		txs, place = append(txs, bz), append(place, i)
	}
	resp, err := c.app.FinalizeBlock(&abci.RequestFinalizeBlock{Height: s.Height, Time: c.header.Time, Txs: txs, NextValidatorsHash: next})
	if err != nil {
		return nil, err
	}
	for i, r := range resp.TxResults {
		ran.Txs[place[i]] = &Outcome{Code: r.Code, Codespace: r.Codespace, Log: r.Log, Events: r.Events, Responses: responses(r.Data)}
	}
	ran.Events, ran.Writes = resp.Events, c.takeWrites()
	if c.nextID != "" {
		c.id, c.nextID = c.nextID, ""
	}
	return ran, nil
}

// timed runs the transactions that succeeded, one by one, and times those that have labels.
func (c *Chain) timed(s *Step, ran *Ran) (*Ran, error) {
	ctx := c.app.NewContextLegacy(false, c.header).WithEventManager(sdk.NewEventManager())
	if _, err := c.app.ModuleManager.BeginBlock(ctx); err != nil {
		return nil, err
	}
	for i, tx := range s.Txs {
		if tx.Code != 0 || !ours(tx.Msgs) {
			continue
		}
		if err := c.costs.tx(c, ctx.WithTxIndex(i), tx); err != nil {
			return nil, err
		}
	}
	_, err := c.app.FinalizeBlock(&abci.RequestFinalizeBlock{Height: s.Height, Time: c.header.Time})
	ran.Writes = c.takeWrites()
	if c.nextID != "" {
		c.id, c.nextID = c.nextID, ""
	}
	return ran, err
}

// appHash is that of the block before; nil: the file does not say.
func appHash(s *Step) ([]byte, error) {
	if s.AppHash != "" {
		return hex.DecodeString(s.AppHash)
	}
	if len(s.Header) == 0 {
		return nil, nil
	}
	var h ibctm.Header
	if err := proto.Unmarshal(s.Header, &h); err != nil {
		return nil, err
	}
	return h.SignedHeader.Header.AppHash, nil
}

// Account is what an account is after the last step: its number and type.
func (c *Chain) Account(address string) string {
	addr, err := sdk.AccAddressFromBech32(address)
	if err != nil {
		return err.Error()
	}
	acc := c.app.AccountKeeper.GetAccount(c.app.NewUncachedContext(false, c.header), addr)
	if acc == nil {
		return "none"
	}
	return fmt.Sprintf("%d %s", acc.GetAccountNumber(), sdk.MsgTypeURL(acc))
}

// Ask asks the mempool, which begins anew after each block.
func (c *Chain) Ask(q *CheckTx) (*Outcome, error) {
	if !c.asking {
		if err := c.open(c.header); err != nil {
			return nil, err
		}
		c.asking = true
	}
	kind := abci.CheckTxType_New
	if q.Recheck {
		kind = abci.CheckTxType_Recheck
	}
	r, err := c.app.CheckTx(&abci.RequestCheckTx{Tx: c.encode(q.Msgs), Type: kind})
	if err != nil {
		return nil, err
	}
	return &Outcome{Code: r.Code, Codespace: r.Codespace, Log: r.Log}, nil
}

// ours says whether the messages are for the modules that run here, not for the rest of the host.
func ours(msgs []Msg) bool {
	for _, m := range msgs {
		if !strings.HasPrefix(m.TypeURL, "/ibc.") && !strings.HasPrefix(m.TypeURL, "/cosmos.bank.") {
			return false
		}
	}
	return true
}

// encode makes a tx without signatures.
func (c *Chain) encode(msgs []Msg) []byte {
	body := &txtypes.TxBody{}
	for _, m := range msgs {
		body.Messages = append(body.Messages, &codectypes.Any{TypeUrl: m.TypeURL, Value: c.inward(m.Value)})
	}
	return marshal(&txtypes.TxRaw{BodyBytes: marshal(body), AuthInfoBytes: marshal(&txtypes.AuthInfo{Fee: &txtypes.Fee{}})})
}

// decodePanics says whether the tx would bring the node down.
func (c *Chain) decodePanics(bz []byte) (r any) {
	defer func() { r = recover() }()
	_, _ = c.app.TxDecode(bz)
	return nil
}

// inward names the simapp's authority for the file's, outward back.
func (c *Chain) inward(bz []byte) []byte {
	if c.from == nil {
		return bz
	}
	return bytes.ReplaceAll(bz, c.from, c.to)
}

func (c *Chain) outward(s string) string {
	if c.from == nil {
		return s
	}
	return strings.ReplaceAll(s, string(c.to), string(c.from))
}

// act does an action in the state of the block; on error nothing is written.
func (c *Chain) act(a *Action) (out *Outcome) {
	out = &Outcome{}
	ctx := c.app.NewContextLegacy(false, c.header).WithEventManager(sdk.NewEventManager())
	cached, writeCache := ctx.CacheContext()
	err := func() (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = errorsmod.Wrapf(sdkerrors.ErrPanic, "recovered: %v", r)
			}
		}()
		return c.do(cached, a, out)
	}()
	if err != nil {
		out.Codespace, out.Code, out.Log = errorsmod.ABCIInfo(err, false)
		out.Result = nil
	} else {
		writeCache()
	}
	out.Events = append(cached.EventManager().ABCIEvents(), out.Events...)
	return out
}

func responses(data []byte) []Msg {
	var d sdk.TxMsgData
	if err := proto.Unmarshal(data, &d); err != nil {
		panic(err) // baseapp made it
	}
	out := []Msg{}
	for _, r := range d.MsgResponses {
		out = append(out, Msg{r.TypeUrl, r.Value})
	}
	return out
}

func marshal(m proto.Message) []byte {
	bz, err := proto.Marshal(m)
	if err != nil {
		panic(err)
	}
	return bz
}

func sortedKeys[V any](m map[string]V) []string {
	ks := make([]string, 0, len(m))
	for k := range m {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	return ks
}

// Command messages runs the messages of a transcript through ibc-go's testing application, one after another,
// and prints what each type costs: JSON lines {"op", "us"}, median CPU microseconds from wire bytes to writes.
//
// The file is the one that benchmarks/message_costs.py runs here: chains at their default genesis, then
// steps of {chain, height, time_ns, txs: [{msgs: [{type_url, value_b64}]}]}. Whatever fails ends the program.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	cmttypes "github.com/cometbft/cometbft/types"

	codectypes "github.com/cosmos/cosmos-sdk/codec/types"
	sdk "github.com/cosmos/cosmos-sdk/types"

	ibctesting "github.com/cosmos/ibc-go/v11/testing"
)

type transcript struct {
	Steps []struct {
		Chain  string `json:"chain"`
		Height int64  `json:"height"`
		TimeNS int64  `json:"time_ns"`
		Txs    []struct {
			Msgs []struct {
				TypeURL string `json:"type_url"`
				Value   []byte `json:"value_b64"`
			} `json:"msgs"`
		} `json:"txs"`
	} `json:"steps"`
}

// outside lets ibctesting run outside of `go test`: what it requires and does not get is a panic.
type outside struct{ testing.TB }

func (outside) Helper()                        {}
func (outside) Logf(string, ...any)            {}
func (outside) Errorf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }
func (outside) FailNow()                       { panic("failed") }

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func cpu() time.Duration {
	var usage syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

var coordinator = &ibctesting.Coordinator{
	CurrentTime: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), Chains: map[string]*ibctesting.TestChain{},
}

func newChain(id string) *ibctesting.TestChain {
	validator, key := cmttypes.RandValidator(false, 100)
	keys := map[string]cmttypes.PrivValidator{validator.Address.String(): key}
	set := cmttypes.NewValidatorSet([]*cmttypes.Validator{validator})
	chain := ibctesting.NewTestChainWithValSet(outside{}, coordinator, id, set, keys)
	coordinator.Chains[id] = chain
	return chain
}

// run decodes and executes one message; the caller keeps or drops what ctx was told.
func run(chain *ibctesting.TestChain, ctx sdk.Context, packed *codectypes.Any) {
	var msg sdk.Msg
	must(chain.App.AppCodec().InterfaceRegistry().UnpackAny(packed, &msg))
	if checked, ok := msg.(sdk.HasValidateBasic); ok {
		must(checked.ValidateBasic())
	}
	_, err := chain.App.GetBaseApp().MsgServiceRouter().Handler(msg)(ctx, msg)
	must(err)
}

// A collection leaves the processor's caches to the collector: a sample right behind one is no message of a
// block. Medians are taken of samples that are not.
const collectEvery = 64

func main() {
	content, err := os.ReadFile(os.Args[1])
	must(err)
	var file transcript
	must(json.Unmarshal(content, &file))
	debug.SetGCPercent(-1) // collected before every collectEvery-th sample only, as on the other side
	taken := 0
	samples := map[string][]float64{}
	var order []string
	for _, step := range file.Steps {
		chain := coordinator.Chains[step.Chain]
		if chain == nil {
			chain = newChain(step.Chain)
		}
		for _, tx := range step.Txs {
			for _, msg := range tx.Msgs {
				ctx := chain.GetContext().WithChainID(step.Chain).WithBlockHeight(step.Height).WithBlockTime(time.Unix(0, step.TimeNS).UTC())
				packed := &codectypes.Any{TypeUrl: msg.TypeURL, Value: msg.Value}
				if taken%collectEvery == 0 {
					runtime.GC()
				}
				taken++
				start := cpu()
				branch, write := ctx.CacheContext()
				run(chain, branch, packed)
				write()
				spent := float64((cpu() - start).Nanoseconds()) / 1e3
				_, op, _ := strings.Cut(msg.TypeURL, ".Msg")
				if samples[op] == nil {
					order = append(order, op)
				}
				samples[op] = append(samples[op], spent)
			}
		}
		chain.NextBlock() // commits
	}
	for _, op := range order {
		sorted := slices.Sorted(slices.Values(samples[op]))
		median := (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
		line, err := json.Marshal(map[string]any{"op": op, "us": median})
		must(err)
		fmt.Println(string(line))
	}
}

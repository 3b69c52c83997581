package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	codectypes "github.com/cosmos/cosmos-sdk/codec/types"
	sdk "github.com/cosmos/cosmos-sdk/types"
)

// costs are CPU microseconds of messages, from their bytes to writes, by the label of their transactions.
type costs struct {
	samples map[string][]float64
	order   []string
	taken   int
}

// A collection leaves the processor's caches to the collector: a sample right behind one is no message of a
// block. Medians are taken of samples that are not.
const collectEvery = 64

func newCosts() *costs {
	debug.SetGCPercent(-1) // collected before every collectEvery-th sample only, as on the other side
	return &costs{samples: map[string][]float64{}}
}

func cpu() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// tx runs a transaction's messages past baseapp, each timed if the transaction has a label.
func (k *costs) tx(c *Chain, ctx sdk.Context, tx *Tx) error {
	branch, write := ctx.CacheContext()
	for _, m := range tx.Msgs {
		packed := &codectypes.Any{TypeUrl: m.TypeURL, Value: c.inward(m.Value)}
		if tx.Label != "" && k.taken%collectEvery == 0 {
			runtime.GC()
		}
		start := cpu()
		one, commit := branch.CacheContext()
		if err := c.message(one, packed); err != nil {
			return err
		}
		commit()
		k.add(tx.Label, cpu()-start)
	}
	write()
	return nil
}

func (c *Chain) message(ctx sdk.Context, packed *codectypes.Any) error {
	var msg sdk.Msg
	if err := c.app.InterfaceRegistry().UnpackAny(packed, &msg); err != nil {
		return err
	}
	if v, ok := msg.(sdk.HasValidateBasic); ok {
		if err := v.ValidateBasic(); err != nil {
			return err
		}
	}
	_, err := c.app.MsgServiceRouter().Handler(msg)(ctx, msg)
	return err
}

func (k *costs) add(label string, spent time.Duration) {
	if label == "" {
		return
	}
	k.taken++
	if k.samples[label] == nil {
		k.order = append(k.order, label)
	}
	k.samples[label] = append(k.samples[label], float64(spent.Nanoseconds())/1e3)
}

// print writes a JSON line {"op", "us"} a label: the median.
func (k *costs) print(j *judge) {
	for _, label := range k.order {
		sorted := slices.Sorted(slices.Values(k.samples[label]))
		median := (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
		line, err := json.Marshal(map[string]any{"op": label, "us": median})
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(j.out, string(line))
	}
}

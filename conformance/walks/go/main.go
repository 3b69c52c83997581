package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	j := &judge{out: bufio.NewWriter(os.Stdout)}
	flag.BoolVar(&j.verbose, "v", false, "a line for each case, not for failures only")
	ignore := flag.String("ignore-events", "tx", "event types that are not compared, with commas between")
	timed := flag.Bool("time", false, "what messages of labelled transactions cost, in JSON lines, instead of verdicts")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: replay [-v] [-ignore-events TYPE,...] FILE...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	j.ignored = map[string]bool{}
	for _, t := range strings.Split(*ignore, ",") {
		j.ignored[t] = true
	}
	if *timed {
		j.costs = newCosts()
	}
	var all score
	for _, path := range flag.Args() {
		j.name, j.score = filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path)), score{}
		j.file(path)
		if *timed {
			continue
		}
		fmt.Fprintf(j.out, "%s: %s\n", j.name, j.score)
		j.out.Flush()
		all.passed, all.failed, all.skipped = all.passed+j.passed, all.failed+j.failed, all.skipped+j.skipped
	}
	if *timed {
		j.costs.print(j)
	} else {
		fmt.Fprintln(j.out, all)
	}
	j.out.Flush()
	if all.failed > 0 {
		os.Exit(1)
	}
}

type score struct{ passed, failed, skipped int }

func (s score) String() string {
	text := fmt.Sprintf("%d passed, %d failed", s.passed, s.failed)
	if s.skipped > 0 {
		text = fmt.Sprintf("%d skipped, ", s.skipped) + text
	}
	return text
}

// judge compares transcripts with what ibc-go does, case by case.
type judge struct {
	score
	out     *bufio.Writer
	name    string
	verbose bool
	ignored map[string]bool
	chains  map[string]*Chain
	costs   *costs
}

// verdict counts one case and prints what differs.
func (j *judge) verdict(what string, diffs ...string) {
	if len(diffs) == 0 {
		j.passed++
		if j.verbose {
			fmt.Fprintf(j.out, "%s: %s: ok\n", j.name, what)
		}
		return
	}
	j.failed++
	for i, d := range diffs {
		if i == 10 {
			fmt.Fprintf(j.out, "%s: %s: and %d more\n", j.name, what, len(diffs)-i)
			break
		}
		fmt.Fprintf(j.out, "%s: %s: %s\n", j.name, what, d)
	}
}

func (j *judge) skip(what, why string) {
	j.skipped++
	if j.verbose {
		fmt.Fprintf(j.out, "%s: %s: skipped: %s\n", j.name, what, why)
	}
}

// file replays one transcript.
func (j *judge) file(path string) {
	f, err := load(path)
	if err != nil {
		j.verdict("read", err.Error())
		return
	}
	j.chains = map[string]*Chain{}
	for _, start := range f.Chains {
		if !j.start(start, f.Authority) {
			return
		}
	}
	j.mempool(f, -1)
	for i, s := range f.Steps {
		if s.N == nil {
			s.N = &i
		}
		if j.chains[s.Chain] == nil && !j.start(&ChainStart{ChainID: s.Chain, Height: s.Height - 1}, f.Authority) {
			return
		}
		j.step(s)
		j.mempool(f, *s.N)
	}
}

// start puts a chain in place.
func (j *judge) start(start *ChainStart, authority string) bool {
	c, err := NewChain(start, authority)
	if err != nil {
		j.verdict("chain "+start.ChainID, err.Error())
		return false
	}
	j.chains[start.ChainID], c.costs = c, j.costs
	if s := start.Stores["ibc"]; s != nil && s.Root != "" {
		var diffs []string
		if !strings.EqualFold(s.Root, c.root) {
			diffs = append(diffs, fmt.Sprintf("initial ibc store: root: file %s, of its entries %s", s.Root, c.root))
		}
		j.verdict("chain "+start.ChainID, diffs...)
	}
	return true
}

// step replays one block and compares it.
func (j *judge) step(s *Step) {
	c := j.chains[s.Chain]
	at := fmt.Sprintf("step %d %s height %d", *s.N, c.id, s.Height)
	ran, err := c.Run(s)
	if err != nil {
		j.verdict(at, "the block cannot be run: "+err.Error())
		return
	}
	if j.costs != nil {
		return
	}
	for i, a := range s.Actions {
		j.verdict(fmt.Sprintf("%s action %d %s", at, i, a.Action), j.action(c, a, ran.Acts[i])...)
	}
	for i, tx := range s.Txs {
		what := fmt.Sprintf("%s tx %d%s", at, i, names(tx.Msgs))
		got := ran.Txs[i]
		if got == nil {
			j.skip(what, "of the host")
			continue
		}
		diffs := diffCode(tx.Code, tx.Codespace, got)
		if len(diffs) == 0 && tx.Responses != nil && tx.Code == 0 {
			diffs = diffResponses(tx.Responses, got.Responses)
		}
		if len(diffs) == 0 && tx.Events != nil {
			diffs = append(diffs, c.diffEvents(tx.Events, got.Events, j.ignored)...)
		}
		j.verdict(what, diffs...)
	}
	j.block(c, s, at, ran)
}

func names(msgs []Msg) string {
	var b strings.Builder
	for _, m := range msgs {
		b.WriteString(" " + m.TypeURL[strings.LastIndexByte(m.TypeURL, '.')+1:])
	}
	return b.String()
}

func (j *judge) action(c *Chain, a *Action, got *Outcome) []string {
	code, codespace := a.Code, a.Codespace
	if !a.OK && code == 0 {
		code = 1 // failed, no matter how
	}
	diffs := diffCode(code, codespace, got)
	if len(diffs) > 0 {
		return diffs
	}
	if a.Result != nil && got.Result != nil && *a.Result != *got.Result {
		diffs = append(diffs, fmt.Sprintf("result: file %+v, ibc-go %+v", *a.Result, *got.Result))
	}
	if a.Events != nil && !(a.Action == "authority_msg" && len(a.Events) == 0) { // the recorder does not see those
		diffs = append(diffs, c.diffEvents(a.Events, got.Events, j.ignored)...)
	}
	return diffs
}

// block compares what a block left behind, and goes on from the file's state where it differs.
func (j *judge) block(c *Chain, s *Step, at string, ran *Ran) {
	var diffs []string
	if len(s.BlockEvents) > 0 {
		diffs = c.diffEvents(s.BlockEvents, ran.Events, map[string]bool{"message": true}) // the recorder leaves these out
	}
	file := map[string][]Write{"ibc": s.IBCChanges}
	for name, ws := range s.OtherChanges {
		file[name] = ws
	}
	told := ran.Writes["ibc"]
	var writes []Write
	for _, w := range told {
		writes = append(writes, w.Write)
	}
	compared := s.IBCRoot != "" || len(s.BlockEvents) > 0
	for _, name := range watched {
		if file[name] == nil {
			continue
		}
		compared = true
		ds, repair := diffWrites(c.state[name], file[name], ran.Writes[name])
		for _, d := range ds {
			diffs = append(diffs, name+" store: "+d)
		}
		c.Repair(name, repair)
		if name == "ibc" && len(ds) > 0 {
			writes = s.IBCChanges
		}
	}
	version := s.IBCVersion
	if version == 0 {
		version = s.Height
	}
	root, err := c.save(writes, version)
	if err != nil {
		diffs = append(diffs, "ibc store: "+err.Error())
	} else if s.IBCRoot != "" && !strings.EqualFold(root, s.IBCRoot) {
		diffs = append(diffs, fmt.Sprintf("ibc store: root: file %s, ibc-go %s%s", s.IBCRoot, root, idle(told, len(diffs) > 0)))
	}
	if !c.hostRan {
		for _, b := range s.BalanceChanges {
			compared = true
			if got := c.Balance(b); got != b.Amount {
				diffs = append(diffs, fmt.Sprintf("balance of %s: file %s, ibc-go %s %s", b.Address, b.Amount, got, b.Denom))
			}
		}
	}
	for _, a := range s.NewAccounts {
		compared = true
		if want, got := fmt.Sprintf("%d %s", a.Number, a.TypeURL), c.Account(a.Address); got != want {
			diffs = append(diffs, fmt.Sprintf("account %s: file %s, ibc-go %s", a.Address, want, got))
		}
	}
	if compared || len(diffs) > 0 {
		j.verdict(at+" block", diffs...)
	}
}

// idle tells of ibc-go's writes without effect: they make new tree nodes all the same.
func idle(told []write, other bool) string {
	if other {
		return " (after the file's changes)"
	}
	var keys []string
	for _, w := range told {
		if w.Value != nil && same(w.Value, w.old) {
			keys = append(keys, keyText(string(w.Key)))
		}
	}
	if keys == nil {
		return ""
	}
	return " (which writes anew, unchanged: " + strings.Join(keys, ", ") + ")"
}

// mempool replays what was asked after a step.
func (j *judge) mempool(f *File, after int) {
	for i, q := range f.CheckTx {
		if q.AfterStep != after {
			continue
		}
		what := fmt.Sprintf("check_tx %d after step %d%s", i, after, names(q.Msgs))
		if j.chains[q.Chain] == nil || !ours(q.Msgs) {
			j.skip(what, "of the host")
			continue
		}
		got, err := j.chains[q.Chain].Ask(q)
		if err != nil {
			j.verdict(what, err.Error())
			continue
		}
		j.verdict(what, diffCode(q.Code, q.Codespace, got)...)
	}
}

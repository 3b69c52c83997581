// Program replay runs the messages of transcripts through ibc-go and says where the transcripts differ.
//
// This file is what is read of a transcript; all other fields are ignored. []byte fields are base64.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
)

// File is a transcript: chains at their start, then blocks in order.
type File struct {
	Authority string        `json:"authority"`
	Chains    []*ChainStart `json:"chains"`
	Steps     []*Step       `json:"steps"`
	CheckTx   []*CheckTx    `json:"check_tx"`
}

// ChainStart is a chain before its first step.
type ChainStart struct {
	ChainID  string            `json:"chain_id"`
	Height   int64             `json:"height"`
	Stores   map[string]*Store `json:"stores"`
	Balances []Balance         `json:"balances"`
}

// Store is a whole store, saved at one version.
type Store struct {
	Root    string  `json:"root"`
	Version int64   `json:"version"`
	Entries []Write `json:"entries"`
}

// Write is one entry or change; a null value is a delete.
type Write struct {
	Key   []byte  `json:"key_b64"`
	Value *[]byte `json:"value_b64"`
}

// Balance is what an account holds of one denomination.
type Balance struct {
	Address string `json:"address"`
	Denom   string `json:"denom"`
	Amount  string `json:"amount"`
}

// Step is one block of one chain: actions, begin block, txs.
type Step struct {
	N              *int               `json:"n"`
	Chain          string             `json:"chain"`
	Height         int64              `json:"height"`
	TimeNS         int64              `json:"time_ns"`
	NextValsHash   string             `json:"next_validators_hash"`
	AppHash        string             `json:"app_hash_before"` // of the block before; else the one in the header
	Header         []byte             `json:"header_b64"`
	Actions        []*Action          `json:"actions"`
	Txs            []*Tx              `json:"txs"`
	BlockEvents    []Event            `json:"block_events"`
	IBCChanges     []Write            `json:"ibc_store_changes"`
	IBCRoot        string             `json:"ibc_store_root"`
	IBCVersion     int64              `json:"ibc_store_version"`
	OtherChanges   map[string][]Write `json:"other_store_changes"`
	BalanceChanges []Balance          `json:"balance_changes"`
	NewAccounts    []Account          `json:"new_accounts"`
}

// Account is an account as first stored.
type Account struct {
	Address string `json:"address"`
	Number  uint64 `json:"number"`
	TypeURL string `json:"type_url"`
}

// Action is something done through a keeper.
type Action struct {
	Action    string  `json:"action"`
	Args      Args    `json:"args"`
	OK        bool    `json:"ok"`
	Codespace string  `json:"codespace"`
	Code      uint32  `json:"code"`
	Result    *Result `json:"result"`
	Events    []Event `json:"events"`
}

// Args are the arguments of all kinds of actions.
type Args struct {
	Port          string  `json:"port"`
	Channel       string  `json:"channel"`
	TimeoutHeight string  `json:"timeout_height"`
	TimeoutTime   uint64  `json:"timeout_timestamp"`
	Data          []byte  `json:"data_b64"`
	Packet        []byte  `json:"packet_b64"`
	Ack           []byte  `json:"ack_b64"`
	AckSuccess    bool    `json:"ack_success"`
	Client        string  `json:"client"`
	Sequence      uint64  `json:"sequence"`
	AckV2         []byte  `json:"acknowledgement_b64"`
	TypeURL       string  `json:"type_url"`
	Value         []byte  `json:"value_b64"`
	Callback      string  `json:"callback"`
	Error         *string `json:"error"`
	ChainID       string  `json:"chain_id"`
	Sender        string  `json:"sender"`
	Receiver      string  `json:"receiver"`
	Denom         string  `json:"denom"`
	On            bool    `json:"on"`
	Epoch         []byte  `json:"epoch_b64"`
}

// Result is what send_packet returned.
type Result struct {
	Sequence uint64 `json:"sequence"`
}

// Tx is one transaction and what came of it.
type Tx struct {
	Label     string  `json:"label"` // whose costs it counts among
	Msgs      []Msg   `json:"msgs"`
	Code      uint32  `json:"code"`
	Codespace string  `json:"codespace"`
	Responses []Msg   `json:"msg_responses"`
	Events    []Event `json:"events"`
}

// Msg is a protobuf message, as packed in an Any.
type Msg struct {
	TypeURL string `json:"type_url"`
	Value   []byte `json:"value_b64"`
}

// CheckTx is a question to the mempool and its answer.
type CheckTx struct {
	AfterStep int    `json:"after_step"`
	Chain     string `json:"chain"`
	Recheck   bool   `json:"recheck"`
	Msgs      []Msg  `json:"msgs"`
	Code      uint32 `json:"code"`
	Codespace string `json:"codespace"`
}

// Event is an ABCI event.
type Event struct {
	Type       string `json:"type"`
	Attributes []Attr `json:"attributes"`
}

// Attr is one event attribute.
type Attr struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// load reads a transcript, gzip'd or not.
func load(path string) (*File, error) {
	bz, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{}
	if !bytes.HasPrefix(bz, []byte{0x1f, 0x8b}) {
		return f, json.Unmarshal(bz, f)
	}
	z, err := gzip.NewReader(bytes.NewReader(bz))
	if err != nil {
		return nil, err
	}
	return f, json.NewDecoder(z).Decode(f)
}

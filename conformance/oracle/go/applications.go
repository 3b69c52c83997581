package main

import (
	"encoding/binary"
	"fmt"

	errorsmod "cosmossdk.io/errors"

	gmptypes "github.com/cosmos/ibc-go/v11/modules/apps/27-gmp/types"
	icatypes "github.com/cosmos/ibc-go/v11/modules/apps/27-interchain-accounts/types"
	callbacktypes "github.com/cosmos/ibc-go/v11/modules/apps/callbacks/types"
	pfmtypes "github.com/cosmos/ibc-go/v11/modules/apps/packet-forward-middleware/types"
	transfertypes "github.com/cosmos/ibc-go/v11/modules/apps/transfer/types"
	channeltypes "github.com/cosmos/ibc-go/v11/modules/core/04-channel/types"
	ibcexported "github.com/cosmos/ibc-go/v11/modules/core/exported"
)

const (
	remainingGas = 1_000_000
	maxGas       = 500_000
)

func told(parts ...string) []byte {
	var raw []byte
	for _, part := range parts {
		raw = append(binary.AppendUvarint(raw, uint64(len(part))), part...)
	}
	return raw
}

// memo reads a memo of ICS-20: (memo); answers what it asks of packet forwarding, and of callbacks at both ends.
func memo(args [][]byte) ([]byte, error) {
	data := transfertypes.NewInternalTransferRepresentation(transfertypes.Token{}, "sender", "receiver", string(args[0]))
	answer := append([]string{}, forward(data)...)
	for _, key := range []string{callbacktypes.SourceCallbackKey, callbacktypes.DestinationCallbackKey} {
		answer = append(answer, callback(data, key)...)
	}
	return told(answer...), nil
}

func forward(data ibcexported.PacketDataProvider) []string {
	found, asks, err := pfmtypes.GetPacketMetadataFromPacketdata(data)
	switch {
	case !asks:
		return []string{"nothing"}
	case err != nil:
		return []string{"error"}
	}
	retries, next := "-", ""
	if found.Forward.Retries != nil {
		retries = fmt.Sprint(*found.Forward.Retries)
	}
	if found.Forward.Next != nil {
		next, err = found.Forward.Next.ToMemo()
		must(err)
	}
	hop := found.Forward
	return []string{hop.Receiver, hop.Port, hop.Channel, fmt.Sprint(max(0, hop.Timeout.Nanoseconds())), retries, next}
}

func callback(data any, key string) []string {
	found, asks, err := callbacktypes.GetCallbackData(data, transfertypes.V1, "transfer", remainingGas, maxGas, key)
	switch {
	case !asks:
		return []string{"nothing"}
	case err != nil:
		codespace, code, _ := errorsmod.ABCIInfo(err, false)
		return []string{fmt.Sprintf("%s/%d", codespace, code)}
	}
	gas := fmt.Sprint(found.ExecutionGasLimit, "/", found.CommitGasLimit)
	return []string{found.CallbackAddress, found.SenderAddress, gas, string(found.Calldata)}
}

// account reads the data of a packet of interchain accounts: (data).
func account(args [][]byte) ([]byte, error) {
	var data icatypes.InterchainAccountPacketData
	if err := data.UnmarshalJSON(args[0]); err != nil {
		return nil, errorsmod.Wrap(errDecode, err.Error())
	}
	return told(fmt.Sprint(int32(data.Type)), string(data.Data), data.Memo), nil
}

// version reads what a channel of interchain accounts settled: (version).
func version(args [][]byte) ([]byte, error) {
	found, err := icatypes.MetadataFromVersion(string(args[0]))
	if err != nil {
		return nil, err
	}
	return told(
		found.Version, found.ControllerConnectionId, found.HostConnectionId, found.Address, found.Encoding, found.TxType,
	), nil
}

// call reads the data of a packet of GMP: (data, encoding).
func call(args [][]byte) ([]byte, error) {
	data, err := gmptypes.UnmarshalPacketData(args[0], gmptypes.Version, string(args[1]))
	if err != nil {
		return nil, err
	}
	return told(data.Sender, data.Receiver, string(data.Salt), string(data.Payload), data.Memo), nil
}

// acknowledgement reads a standard acknowledgement: (bytes).
func acknowledgement(args [][]byte) ([]byte, error) {
	var ack channeltypes.Acknowledgement
	if err := transfertypes.ModuleCdc.UnmarshalJSON(args[0], &ack); err != nil {
		return nil, errorsmod.Wrap(errDecode, err.Error())
	}
	switch response := ack.Response.(type) {
	case *channeltypes.Acknowledgement_Error:
		return told("error", response.Error), nil
	case *channeltypes.Acknowledgement_Result:
		return told("result", string(response.Result)), nil
	default:
		return told("nothing"), nil
	}
}

package main

import (
	"fmt"

	"github.com/cosmos/gogoproto/proto"

	codectypes "github.com/cosmos/cosmos-sdk/codec/types"
	sdk "github.com/cosmos/cosmos-sdk/types"

	ratelimittypes "github.com/cosmos/ibc-go/v11/modules/apps/rate-limiting/types"
	clienttypes "github.com/cosmos/ibc-go/v11/modules/core/02-client/types"
	channeltypes "github.com/cosmos/ibc-go/v11/modules/core/04-channel/types"
	channeltypesv2 "github.com/cosmos/ibc-go/v11/modules/core/04-channel/v2/types"
	"github.com/cosmos/ibc-go/v11/testing/mock"
)

// ack is an acknowledgement known by its bytes only.
type ack struct {
	bz []byte
	ok bool
}

func (a ack) Success() bool           { return a.ok }
func (a ack) Acknowledgement() []byte { return a.bz }

// do does what an action says.
func (c *Chain) do(ctx sdk.Context, a *Action, out *Outcome) error {
	k, g := c.app.IBCKeeper, a.Args
	switch a.Action {
	case "send_packet":
		timeout, err := clienttypes.ParseHeight(g.TimeoutHeight)
		if err != nil {
			return err
		}
		seq, err := k.ChannelKeeper.SendPacket(ctx, g.Port, g.Channel, timeout, g.TimeoutTime, g.Data)
		out.Result = &Result{seq}
		return err
	case "write_acknowledgement":
		var p channeltypes.Packet
		if err := proto.Unmarshal(g.Packet, &p); err != nil {
			return err
		}
		return k.ChannelKeeper.WriteAcknowledgement(ctx, p, ack{g.Ack, g.AckSuccess})
	case "write_acknowledgement_v2":
		var v2 channeltypesv2.Acknowledgement
		if err := proto.Unmarshal(g.AckV2, &v2); err != nil {
			return err
		}
		return k.ChannelKeeperV2.WriteAcknowledgement(ctx, g.Client, g.Sequence, v2)
	case "chan_close_init":
		return k.ChannelKeeper.ChanCloseInit(ctx, g.Port, g.Channel)
	case "authority_msg":
		return c.asAuthority(ctx, g, out)
	case "app_behaviour":
		return c.behave(g)
	case "ratelimit_blacklist":
		if g.On {
			c.app.RateLimitKeeper.AddDenomToBlacklist(ctx, g.Denom)
		} else {
			c.app.RateLimitKeeper.RemoveDenomFromBlacklist(ctx, g.Denom)
		}
		return nil
	case "ratelimit_whitelist":
		pair := ratelimittypes.WhitelistedAddressPair{Sender: g.Sender, Receiver: g.Receiver}
		if g.On {
			c.app.RateLimitKeeper.SetWhitelistedAddressPair(ctx, pair)
		} else {
			c.app.RateLimitKeeper.RemoveWhitelistedAddressPair(ctx, g.Sender, g.Receiver)
		}
		return nil
	case "ratelimit_set_epoch":
		var epoch ratelimittypes.HourEpoch
		if err := proto.Unmarshal(g.Epoch, &epoch); err != nil {
			return err
		}
		return c.app.RateLimitKeeper.SetHourEpoch(ctx, epoch)
	case "set_chain_id":
		c.nextID = g.ChainID
		return nil
	}
	return fmt.Errorf("replay knows no action %q", a.Action)
}

// asAuthority runs a message as governance would.
func (c *Chain) asAuthority(ctx sdk.Context, g Args, out *Outcome) error {
	var msg sdk.Msg
	packed := &codectypes.Any{TypeUrl: g.TypeURL, Value: c.inward(g.Value)}
	if err := c.app.InterfaceRegistry().UnpackAny(packed, &msg); err != nil {
		return err
	}
	if v, ok := msg.(sdk.HasValidateBasic); ok {
		if err := v.ValidateBasic(); err != nil {
			return err
		}
	}
	handler := c.app.MsgServiceRouter().Handler(msg)
	if handler == nil {
		return fmt.Errorf("no handler of %s", g.TypeURL)
	}
	res, err := handler(ctx, msg)
	if err == nil {
		out.Events = res.Events
	}
	return err
}

// behave makes a callback of the mock app fail, or ("all") all of them succeed.
func (c *Chain) behave(g Args) error {
	app := c.app.IBCMockModule.IBCApp
	var err error
	if g.Error != nil {
		err = mock.MockApplicationCallbackError
	}
	closing := func(sdk.Context, string, string) error { return err }
	switch {
	case g.Callback == "all" && err == nil:
		app.OnChanCloseInit, app.OnChanCloseConfirm, app.OnAcknowledgementPacket, app.OnTimeoutPacket = nil, nil, nil, nil
	case g.Callback == "on_chan_close_init":
		app.OnChanCloseInit = closing
	case g.Callback == "on_chan_close_confirm":
		app.OnChanCloseConfirm = closing
	case g.Callback == "on_acknowledgement_packet" && err != nil:
		app.OnAcknowledgementPacket = func(sdk.Context, string, channeltypes.Packet, []byte, sdk.AccAddress) error { return err }
	case g.Callback == "on_acknowledgement_packet":
		app.OnAcknowledgementPacket = nil
	case g.Callback == "on_timeout_packet" && err != nil:
		app.OnTimeoutPacket = func(sdk.Context, string, channeltypes.Packet, sdk.AccAddress) error { return err }
	case g.Callback == "on_timeout_packet":
		app.OnTimeoutPacket = nil
	default:
		return fmt.Errorf("replay knows no callback %q", g.Callback)
	}
	return nil
}

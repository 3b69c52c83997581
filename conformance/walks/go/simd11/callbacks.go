//go:build callbacks

package main

import "github.com/cosmos/ibc-go/v11/modules/apps/callbacks/testing/simapp"

type simApp = simapp.SimApp

var (
	newSimApp = simapp.NewSimApp
	nodeHome  = simapp.DefaultNodeHome
)

//go:build !callbacks

package main

import "github.com/cosmos/ibc-go/v11/testing/simapp"

type simApp = simapp.SimApp

var (
	newSimApp = simapp.NewSimApp
	nodeHome  = simapp.DefaultNodeHome
)

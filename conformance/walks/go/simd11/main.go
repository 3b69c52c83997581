// A node of ibc-go's testing application, version 11: it has packet forwarding, rate limits, interchain accounts and
// GMP. Built with the tag `callbacks` it is the application that ibc-go tests its callbacks middleware with: no
// forwarding and no rate limits, but a contract around transfers, accounts and calls, which does as its address says
// (ibc-go's contract_keeper.go). Just enough commands to make a genesis, hold keys and run.
package main

import (
	"errors"
	"os"

	"cosmossdk.io/log/v2"
	dbm "github.com/cosmos/cosmos-db"
	"github.com/spf13/cobra"

	cmtcfg "github.com/cometbft/cometbft/config"

	"github.com/cosmos/cosmos-sdk/client"
	"github.com/cosmos/cosmos-sdk/client/config"
	"github.com/cosmos/cosmos-sdk/client/debug"
	"github.com/cosmos/cosmos-sdk/client/keys"
	"github.com/cosmos/cosmos-sdk/client/rpc"
	"github.com/cosmos/cosmos-sdk/server"
	svrcmd "github.com/cosmos/cosmos-sdk/server/cmd"
	serverconfig "github.com/cosmos/cosmos-sdk/server/config"
	servertypes "github.com/cosmos/cosmos-sdk/server/types"
	simtestutil "github.com/cosmos/cosmos-sdk/testutil/sims"
	authcmd "github.com/cosmos/cosmos-sdk/x/auth/client/cli"
	"github.com/cosmos/cosmos-sdk/x/auth/types"
	banktypes "github.com/cosmos/cosmos-sdk/x/bank/types"
	genutilcli "github.com/cosmos/cosmos-sdk/x/genutil/client/cli"
	genutiltypes "github.com/cosmos/cosmos-sdk/x/genutil/types"
)

const envPrefix = "SIMD"

func newApp(logger log.Logger, db dbm.DB, opts servertypes.AppOptions) servertypes.Application {
	return newSimApp(logger, db, nil, true, opts, server.DefaultBaseappOptions(opts)...)
}

func export(log.Logger, dbm.DB, int64, bool, []string, servertypes.AppOptions, []string) (servertypes.ExportedApp, error) {
	return servertypes.ExportedApp{}, errors.New("the testing application has no state export")
}

func rootCmd() *cobra.Command {
	// A throw-away application gives the codec and the list of modules.
	tmp := newSimApp(log.NewNopLogger(), dbm.NewMemDB(), nil, true, simtestutil.NewAppOptionsWithFlagHome(os.TempDir()))
	basics := tmp.BasicModuleManager

	base := client.Context{}.
		WithCodec(tmp.AppCodec()).
		WithInterfaceRegistry(tmp.InterfaceRegistry()).
		WithTxConfig(tmp.TxConfig()).
		WithLegacyAmino(tmp.LegacyAmino()).
		WithInput(os.Stdin).
		WithAccountRetriever(types.AccountRetriever{}).
		WithHomeDir(nodeHome).
		WithViper(envPrefix)

	root := &cobra.Command{
		Use:           "simd",
		Short:         "ibc-go testing application as a daemon",
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(cmd.OutOrStdout())
			cmd.SetErr(cmd.ErrOrStderr())
			ctx, err := client.ReadPersistentCommandFlags(base.WithCmdContext(cmd.Context()), cmd.Flags())
			if err != nil {
				return err
			}
			if ctx, err = config.ReadFromClientConfig(ctx); err != nil {
				return err
			}
			if err = client.SetCmdClientContextHandler(ctx, cmd); err != nil {
				return err
			}
			app := serverconfig.DefaultConfig()
			app.MinGasPrices = "0stake"
			return server.InterceptConfigsPreRunHandler(cmd, serverconfig.DefaultConfigTemplate, app, cmtcfg.DefaultConfig())
		},
	}

	query := &cobra.Command{Use: "query", Aliases: []string{"q"}, RunE: client.ValidateCmd, DisableFlagParsing: true}
	query.AddCommand(rpc.ValidatorCommand(), server.QueryBlockCmd(), server.QueryBlockResultsCmd(), authcmd.QueryTxsByEventsCmd(), authcmd.QueryTxCmd())
	basics.AddQueryCommands(query)

	tx := &cobra.Command{Use: "tx", RunE: client.ValidateCmd, DisableFlagParsing: true}
	tx.AddCommand(authcmd.GetSignCommand(), authcmd.GetSignBatchCommand(), authcmd.GetBroadcastCommand(), authcmd.GetEncodeCommand(), authcmd.GetDecodeCommand())
	basics.AddTxCommands(tx)

	root.AddCommand(
		genutilcli.InitCmd(basics, nodeHome),
		genesisCmd(tmp),
		debug.Cmd(),
		keys.Commands(),
		server.StatusCommand(),
		query,
		tx,
	)
	server.AddCommands(root, nodeHome, newApp, export, func(*cobra.Command) {})
	return root
}

func genesisCmd(app *simApp) *cobra.Command {
	basics := app.BasicModuleManager
	cfg := app.TxConfig()
	valCodec := cfg.SigningContext().ValidatorAddressCodec()
	cmd := &cobra.Command{Use: "genesis", RunE: client.ValidateCmd, DisableFlagParsing: true}
	cmd.AddCommand(
		genutilcli.GenTxCmd(basics, cfg, banktypes.GenesisBalancesIterator{}, nodeHome, valCodec),
		genutilcli.CollectGenTxsCmd(banktypes.GenesisBalancesIterator{}, nodeHome, genutiltypes.DefaultMessageValidator, valCodec),
		genutilcli.ValidateGenesisCmd(basics),
		genutilcli.AddGenesisAccountCmd(nodeHome, cfg.SigningContext().AddressCodec()),
	)
	return cmd
}

func main() {
	if err := svrcmd.Execute(rootCmd(), envPrefix, nodeHome); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

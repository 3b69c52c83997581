// What a user of CosmJS does: balance, send, IBC transfer, wait for the transaction, read its events.
// Arguments: folder with node_modules, RPC, private key (hex), receiver; channel and receiver of the transfer.
// Prints what it saw as JSON.
import { createRequire } from "node:module";
import path from "node:path";

const [folder, rpc, key, receiver, channel, farReceiver] = process.argv.slice(2);
const require = createRequire(path.join(folder, "package.json"));
const { Secp256k1Wallet } = require("@cosmjs/amino");
const { DirectSecp256k1Wallet } = require("@cosmjs/proto-signing");
const { GasPrice, SigningStargateClient } = require("@cosmjs/stargate");

const wallet = await DirectSecp256k1Wallet.fromKey(Buffer.from(key, "hex"), "cosmos");
const [{ address }] = await wallet.getAccounts();
const client = await SigningStargateClient.connectWithSigner(rpc, wallet, {
  gasPrice: GasPrice.fromString("0.001stake"),
  broadcastPollIntervalMs: 200,
});
const of = (events, type) =>
  events.filter((event) => event.type === type).map((event) => Object.fromEntries(event.attributes.map((each) => [each.key, each.value])));

const told = { address, chain: await client.getChainId(), before: await client.getBalance(address, "stake") };
told.account = await client.getAccount(address);
told.all = await client.getAllBalances(address);
const sent = await client.sendTokens(address, receiver, [{ denom: "stake", amount: "11" }], "auto", "from CosmJS");
told.sent = { code: sent.code, height: sent.height, transfers: of(sent.events, "transfer") };
const timeout = BigInt(Date.now() + 600_000) * 1_000_000n;
const moved = await client.sendIbcTokens(
  address, farReceiver, { denom: "stake", amount: "12" }, "transfer", channel, undefined, Number(timeout / 1_000_000_000n), "auto");
told.moved = { code: moved.code, log: moved.rawLog, packets: of(moved.events, "send_packet") };
const found = await client.getTx(sent.transactionHash);
told.found = { height: found.height, gasUsed: Number(found.gasUsed), code: found.code };
told.searched = (await client.searchTx([{ key: "message.sender", value: address }])).length;
try {
  await client.sendTokens(address, receiver, [{ denom: "stake", amount: "1" + "0".repeat(30) }], "auto");
} catch (error) {
  told.refused = String(error.message);
}
told.failed = (await client.sendTokens(
  address, receiver, [{ denom: "stake", amount: "1" + "0".repeat(30) }], { amount: [], gas: "200000" })).code;
told.after = await client.getBalance(address, "stake");
client.disconnect();

// As a hardware wallet signs: legacy amino JSON.
const ledger = await SigningStargateClient.connectWithSigner(rpc, await Secp256k1Wallet.fromKey(Buffer.from(key, "hex"), "cosmos"), {
  gasPrice: GasPrice.fromString("0.001stake"),
  broadcastPollIntervalMs: 200,
});
const signed = [
  await ledger.sendTokens(address, receiver, [{ denom: "stake", amount: "3" }], "auto", '<b> & "CosmJS" \u2192 ü'),
  await ledger.sendIbcTokens(
    address, farReceiver, { denom: "stake", amount: "4" }, "transfer", channel, undefined, Number(timeout / 1_000_000_000n), "auto"),
  await ledger.sendIbcTokens(
    address, farReceiver, { denom: "stake", amount: "5" }, "transfer", channel,
    { revisionNumber: 2n, revisionHeight: 10_000_000n }, undefined, "auto", "memo"),
];
told.amino = signed.map((each) => ({ code: each.code, log: each.rawLog }));
ledger.disconnect();
console.log(JSON.stringify(told, (_, value) => (typeof value === "bigint" ? String(value) : value)));

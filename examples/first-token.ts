import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { formatSecretKey, generateSecretKey, keypairSigner, TokenctlClient } from "@tokenctl/sdk";

// The wallet: created on the first run, in a file that only its owner can read.
const keypair = "agent.json";
if (!existsSync(keypair)) {
  writeFileSync(keypair, formatSecretKey(generateSecretKey()), { mode: 0o600 });
}
const client = new TokenctlClient({
  apiUrl: process.env.TOKENCTL_API_URL ?? "http://127.0.0.1:8787",
  signer: keypairSigner(readFileSync(keypair, "utf8")),
});

// The same key launches only once, however often this runs.
const order = { name: "Agent Coin", ticker: "AGNT" };
const { eventId } = await client.launch(order, { idempotencyKey: "agent-coin" });
const launch = await client.waitForLaunch(eventId);
if (launch.status !== "success") throw new Error(launch.error ?? launch.status);

// On a sandbox: SOL for the claim's network fee, and a trade, which earns a fee.
await client.dev.airdrop({ sol: 0.1 });
await client.dev.trade({ tokenMint: launch.tokenMint, side: "buy", sol: 1 });

// Checks that the transaction does nothing but pay this wallet, and then signs it.
const { claimedSOL, transactionHash } = await client.claim(launch.tokenMint);
console.log(`${claimedSOL} SOL, ${transactionHash}`);

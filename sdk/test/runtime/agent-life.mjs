// An agent's whole life through the installed package, on whichever runtime runs this file. The
// server is a sandbox at API_URL. Prints what happened as one line of JSON.
import { inspect } from "node:util";
import {
  AbortError,
  ApiError,
  CheckError,
  ConnectionError,
  checkClaimTransaction,
  formatSecretKey,
  generateSecretKey,
  hasCode,
  keypairSigner,
  parseSecretKey,
  TokenctlClient,
} from "@tokenctl/sdk";

const apiUrl = process.env.API_URL ?? "";
const ticker = process.env.TICKER ?? "";

const { publicKey, secretKey } = generateSecretKey();
const signer = keypairSigner(formatSecretKey(secretKey));
const client = new TokenctlClient({ apiUrl, signer });
const anyone = new TokenctlClient({ apiUrl });

/**
 * @param {Promise<unknown>} call
 * @returns {Promise<unknown>}
 */
async function thrown(call) {
  try {
    await call;
  } catch (error) {
    return error;
  }
  return null;
}

/** @type {Record<string, boolean>} */
const checks = {};

const health = await anyone.health();
checks.health = health.ok && health.db === "connected";
checks.address = client.address === publicKey;
checks.signerRequired = hasCode(await thrown(anyone.tokens()), "signer_required");

const login = await client.login();
checks.login = login.wallet === publicKey;
// A minute for a slow machine: the server's clock stands still in this test.
const life = login.expiresInSeconds ?? 0;
checks.quarterOfAnHour = life > 840 && life <= 900;
checks.noTokens = (await client.tokens()).tokens.length === 0;

const order = { name: "Runtime 🐕", ticker, description: "Made by a test" };
const key = { idempotencyKey: `${ticker}-1` };
const { eventId } = await client.launch(order, key);
checks.sameKeySameLaunch = (await client.launch(order, key)).eventId === eventId;
const taken = await thrown(client.launch(order));
checks.tickerTaken =
  hasCode(taken, "ticker_taken") &&
  taken.eventId === eventId &&
  taken.launchStatus !== undefined &&
  taken.hint?.includes(eventId) === true;
const invalid = await thrown(client.launch({ name: "", ticker: "no" }));
checks.invalid =
  invalid instanceof ApiError &&
  invalid.status === 400 &&
  invalid.details.map(({ field }) => field).join() === "name,ticker" &&
  invalid.requestId !== null;

const launch = await client.waitForLaunch(eventId, { intervalMs: 20, timeoutMs: 20_000 });
checks.launched = launch.status === "success";
for await (const event of client.events()) {
  checks.event =
    event.id === 1 &&
    event.type === "launch.succeeded" &&
    event.data.eventId === eventId &&
    event.data.transactionHash ===
      (await anyone.publicToken(event.data.tokenMint ?? "")).launchTransaction &&
    event.data.transactionHash !== null;
  break;
}
const mint = launch.tokenMint ?? "";
checks.token = (await client.token(mint)).tokenName === order.name;
const notRetryable = await thrown(client.retryLaunch(eventId));
checks.notRetryable = hasCode(notRetryable, "not_retryable");

const threshold = await client.setFeeThreshold({ claimableSOL: 0.5 });
checks.threshold = threshold.claimableSOL === 0.5;
checks.noThreshold =
  (await client.deleteFeeThreshold()).claimableSOL === null &&
  (await client.feeThreshold()).claimableSOL === null;

const noFees = await thrown(client.claim(mint));
checks.noFees = hasCode(noFees, "no_fees_to_claim");
await client.dev.airdrop({ sol: 1 });
await client.dev.trade({ tokenMint: mint, side: "buy", sol: 2 });
const [fees] = (await client.claims()).claims;
checks.fees =
  fees !== undefined &&
  fees.tokenMint === mint &&
  fees.dbcClaimableFees > 0 &&
  fees.claimableSOL === fees.dbcClaimableFees;

const prepared = await client.prepareClaim(mint);
const { poolAddress } = await client.token(mint);
const terms = { tokenMint: mint, maxNetworkFeeLamports: 100_000n, sandboxPool: poolAddress };
const bytes = Buffer.from(prepared.transaction, "base64");
checks.claimCheck =
  (await thrown(checkClaimTransaction(bytes, { ...terms, agent: mint }))) instanceof CheckError;
const cost = await checkClaimTransaction(bytes, { ...terms, agent: publicKey });
checks.claimCost = cost.networkFeeLamports >= 5_000n && cost.rentLamports === 0n;
const signed = await client.signClaim(mint, prepared);
const receipt = await client.submitClaim(mint, signed);
checks.claimed = receipt.claimedSOL === fees?.dbcClaimableFees;
const again = await client.submitClaim(mint, signed);
checks.sameAnswerAgain = again.transactionHash === receipt.transactionHash;

await client.dev.graduate({ tokenMint: mint });
await client.dev.trade({ tokenMint: mint, side: "buy", sol: 2 });
const [both] = (await client.claims({ limit: 1 })).claims;
checks.bothKinds = both !== undefined && both.dbcClaimableFees > 0 && both.lpClaimableFees > 0;
const careful = new TokenctlClient({ apiUrl, signer, rpcUrl: `${apiUrl}/dev/rpc` });
const second = await careful.claim(mint);
checks.verified =
  second.verified === true &&
  Math.abs(second.claimedSOL - (second.gainedSOL ?? 0) - 0.000005) < 1e-9;
checks.claimedBoth =
  Math.abs(second.claimedSOL - (both?.dbcClaimableFees ?? 0) - (both?.lpClaimableFees ?? 0)) < 1e-9;

const stranger = await thrown(
  new TokenctlClient({ apiUrl, signer: keypairSigner(generateSecretKey()) }).launch(order),
);
checks.tickerOfAnother =
  hasCode(stranger, "ticker_taken") &&
  stranger.eventId === undefined &&
  stranger.launchStatus === undefined;

const other = new TokenctlClient({ apiUrl, signer: keypairSigner(generateSecretKey().secretKey) });
checks.notFound = hasCode(await thrown(other.token(mint)), "token_not_found");
const aborted = await thrown(client.tokens({ signal: AbortSignal.abort() }));
checks.aborted = aborted instanceof AbortError && aborted.name === "AbortError";
const away = new TokenctlClient({ apiUrl: "http://127.0.0.1:9", maxRetries: 0 });
const unreachable = await thrown(away.health());
checks.unreachable =
  unreachable instanceof ConnectionError && unreachable.constructor.name === "ConnectionError";

const secret = [...parseSecretKey(secretKey).subarray(0, 6)].join(",");
const shown = inspect([client, signer], { depth: 9, showHidden: true }) + JSON.stringify(signer);
checks.secretHidden = !shown.replaceAll(" ", "").includes(secret);

console.log(JSON.stringify(checks));

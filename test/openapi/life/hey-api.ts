import { client } from "./generated/hey/client.gen.ts";
import {
  airdrop,
  claimToken,
  getChallenge,
  getHealth,
  getLaunchStatus,
  getToken,
  type LaunchStatus,
  launchToken,
  listClaims,
  listTokens,
  signIn,
  trade,
} from "./generated/hey/index.ts";
import { assert, newWallet } from "./wallet.ts";

/** A token's whole life by the client of @hey-api/openapi-ts. Argument: the server's URL. */
const wallet = newWallet();
let token = "";
client.setConfig({ baseUrl: String(process.argv[2]), auth: () => token });

const health = await getHealth();
assert(health.data?.ok, "the server is not well");

const challenge = await getChallenge({ body: { wallet: wallet.address } });
assert(challenge.data, "no nonce");
const { nonce } = challenge.data;
const session = await signIn({
  body: { wallet: wallet.address, nonce, signature: wallet.signIn(nonce) },
});
assert(session.data, "no token");
token = session.data.token;

await airdrop({ body: { sol: 1 } });
const body = { name: "Called", ticker: "CALLED" };
const headers = { "Idempotency-Key": "one" };
const accepted = await launchToken({ body, headers });
assert(accepted.data, "the launch was refused");
const { eventId } = accepted.data;
const again = await launchToken({ body, headers });
assert(again.data?.eventId === eventId, "the key did not keep it from launching twice");
const taken = await launchToken({ body });
// Compared with a code that the operation does not list, this would not compile.
assert(taken.error?.code === "ticker_taken", "the ticker was given twice");

let status: LaunchStatus;
do {
  const answer = await getLaunchStatus({ path: { eventId } });
  assert(answer.data, "no status");
  status = answer.data;
} while (status.status === "pending");
const { tokenMint } = status;
assert(status.status === "success" && tokenMint !== null, `${status.status}: ${status.error}`);

const path = { mintAddress: tokenMint };
await trade({ body: { tokenMint, side: "buy", sol: "2" } });
const fees = await listClaims({ query: { limit: 10 } });
const claimable = fees.data?.claims[0]?.dbcClaimableFees ?? 0;
assert(claimable > 0, "a trade earned no fees");

const prepared = await claimToken({ path });
assert(prepared.data && "transaction" in prepared.data, "no transaction");
const signedTransaction = wallet.signClaim(prepared.data.transaction);
const receipt = await claimToken({ path, body: { signedTransaction } });
assert(receipt.data && "claimedSOL" in receipt.data, "the claim was refused");
assert(receipt.data.claimedSOL === claimable, `it paid ${receipt.data.claimedSOL}`);

const claimed = await getToken({ path });
assert(claimed.data?.claimedToAddress === wallet.address, "the token does not say who claimed");
const tokens = await listTokens();
assert(tokens.data?.tokens[0]?.isClaimed, "the list does not say that it is claimed");
console.log("lived");

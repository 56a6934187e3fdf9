// A token's whole life with nothing but web APIs: no Buffer, no process, no module of Node.
import { generateSecretKey, keypairSigner, TokenctlClient } from "@tokenctl/sdk";

/**
 * @param {string} apiUrl a sandbox
 * @param {string} ticker a free one
 * @returns {Promise<Record<string, boolean>>} what was checked, and whether it was so
 */
export async function live(apiUrl, ticker) {
  const signer = keypairSigner(generateSecretKey().secretKey);
  const client = new TokenctlClient({ apiUrl, signer });
  /** @type {Record<string, boolean>} */
  const checks = {};
  checks.health = (await client.health()).ok;
  checks.login = (await client.login()).wallet === signer.publicKey;
  const { eventId } = await client.launch({ name: "Web", ticker });
  const launch = await client.waitForLaunch(eventId, { intervalMs: 20, timeoutMs: 20_000 });
  checks.launched = launch.status === "success";
  for await (const event of client.events()) {
    checks.event = event.type === "launch.succeeded" && event.data.eventId === eventId;
    break;
  }
  const mint = launch.tokenMint ?? "";
  await client.dev.airdrop({ sol: 1 });
  await client.dev.trade({ tokenMint: mint, side: "buy", sol: 2 });
  const [fees] = (await client.claims()).claims;
  checks.fees = fees !== undefined && fees.dbcClaimableFees > 0;
  const receipt = await client.claim(mint);
  checks.claimed = receipt.claimedSOL === fees?.dbcClaimableFees;
  checks.token = (await client.token(mint)).isClaimed;
  const refused = await client.launch({ name: "Web", ticker }).catch((error) => error);
  checks.refused = refused.code === "ticker_taken" && refused.requestId !== null;
  return checks;
}

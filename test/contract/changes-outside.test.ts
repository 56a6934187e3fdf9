import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import { ClaimHistorySchema, ClaimReceiptSchema } from "@tokenctl/shared/contract/claim";
import { AgentEventListSchema } from "@tokenctl/shared/contract/event";
import { TokenSchema } from "@tokenctl/shared/contract/token";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { directSdk } from "../../server/src/launchpad/meteora/testing/direct-sdk.ts";
import {
  giveCreator,
  givePositions,
} from "../../server/src/launchpad/meteora/testing/positions.ts";
import {
  describeMeteora,
  ON_CHAIN_MS,
} from "../../server/src/launchpad/meteora/testing/programs.ts";
import { buy } from "../../server/src/launchpad/meteora/testing/trades.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { startMeteoraServer } from "../support/meteora-server.ts";

setDefaultTimeout(ON_CHAIN_MS);

describeMeteora("what a wallet changes outside the service", () => {
  let server: Awaited<ReturnType<typeof startMeteoraServer>>;
  const newCreator = Keypair.generate();

  beforeAll(async () => {
    server = await startMeteoraServer({ POOL_WATCH_SECONDS: "1" });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const history = async (agent: Agent, mint: string) => {
    const { body } = await agent.get(`/api/v1/tokens/claims/history?token=${mint}`);
    return expectShape(ClaimHistorySchema, body).claims;
  };
  const errorOf = ({ status, body }: { status: number; body: unknown }) => {
    const { code, error, message } = body as { code: string; error: string; message?: string };
    return { status, code, error, message };
  };
  const changed = (message: string) => ({
    status: 409,
    code: "creator_changed",
    error: errorCodes.creator_changed.text,
    message,
  });

  test.concurrent("the list names a pool's new creator, and the former one's claims are 409", async () => {
    const { agent, mint, pool } = await server.token("ROLE");
    const { claimedSOL } = await agent.claim(mint);
    await buy(server.connection, { pool, trader: server.trader }, 2_000_000_000n);
    const { transaction } = await agent.prepareClaim(mint);
    await giveCreator(server.connection, pool, agent.keypair, newCreator.publicKey);

    const answer = changed(`The fees of the bonding curve belong to ${newCreator.publicKey} now`);
    const late = await agent.submitClaim(mint, agent.signClaim(transaction));
    expect(errorOf(late)).toEqual(answer);
    expect(errorOf(await agent.post(`/api/v1/tokens/claims/${mint}`))).toEqual(answer);
    expect(await agent.fees(mint)).toMatchObject({
      dbcClaimableFees: 0,
      dbcClaimedFees: claimedSOL,
      dbcTotalFees: claimedSOL,
      creatorChanged: { dbcHolder: newCreator.publicKey.toBase58() },
    });
    expect(await history(agent, mint)).toHaveLength(1);

    // The former agent is told, and the new creator has the token as if it had got it here.
    const path = "/api/v1/events?after=2&limit=1&wait=20";
    let events: readonly unknown[] = [];
    while (events.length === 0) {
      ({ events } = expectShape(AgentEventListSchema, (await agent.get(path)).body));
    }
    expect(events).toMatchObject([{ type: "token.handed_over", data: { tokenMint: mint } }]);
    const holder = new Agent(server, newCreator);
    await holder.signIn();
    const { status, body } = await holder.post(`/api/v1/tokens/received/${mint}`);
    expect([status, expectShape(TokenSchema, body).launchedBy]).toEqual([200, agent.wallet]);
  });

  test.concurrent("the list says that a position has moved, and keeps what its claims paid", async () => {
    const { agent, mint, pool } = await server.token("MOVE");
    await server.graduate(pool);
    const { claimedSOL } = await agent.claim(mint);
    const before = await agent.fees(mint);
    expect(before.creatorChanged).toBeUndefined();
    await givePositions(server.connection, agent.keypair, newCreator.publicKey);
    const after = await agent.fees(mint);
    expect(after).toEqual({ ...before, creatorChanged: { lpHolder: null } });
    expect(after.dbcClaimedFees + after.lpClaimedFees).toBe(claimedSOL);
    expect(errorOf(await agent.post(`/api/v1/tokens/claims/${mint}`))).toEqual(
      changed(
        "The fees of the liquidity pool belong to the holder of the position that this wallet had",
      ),
    );
  });

  test.concurrent("fees that were claimed directly are told apart, and make no entry of 0 SOL", async () => {
    const { agent, mint, pool } = await server.token("SELF");
    const { claimedSOL } = await agent.claim(mint);
    const tokenBefore = (await agent.get(`/api/v1/tokens/${mint}`)).body;
    await buy(server.connection, { pool, trader: server.trader }, 3_000_000_000n);
    const { dbcClaimableFees, dbcTotalFees } = await agent.fees(mint);
    const { transaction } = await agent.prepareClaim(mint);
    await directSdk(server).claimCurve(agent.keypair, pool);

    const { status, body } = await agent.submitClaim(mint, agent.signClaim(transaction));
    expect([status, expectShape(ClaimReceiptSchema, body).claimedSOL]).toEqual([200, 0]);
    expect(dbcClaimableFees).toBeGreaterThan(0);
    expect(await agent.fees(mint)).toMatchObject({
      dbcClaimableFees: 0,
      dbcTotalFees,
      dbcClaimedFees: dbcTotalFees,
      claimedElsewhere: dbcClaimableFees,
    });
    expect((await history(agent, mint)).map((claim) => claim.claimedSOL)).toEqual([claimedSOL]);
    expect((await agent.get(`/api/v1/tokens/${mint}`)).body).toEqual(tokenBefore);
  });
});

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { Keypair, PublicKey } from "@solana/web3.js";
import { ClaimListSchema } from "@tokenctl/shared/contract/claim";
import { dataFiles } from "../../server/src/config/config.ts";
import { heldPosition } from "../../server/src/launchpad/meteora/testing/held-position.ts";
import {
  describeMeteora,
  ON_CHAIN_MS,
} from "../../server/src/launchpad/meteora/testing/programs.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { startMeteoraServer } from "../support/meteora-server.ts";
import { startTestServer } from "../support/test-server.ts";

const DAY_MS = 86_400_000;

test("the fees of other tokens are listed if one token is missing on chain", async () => {
  await using server = await startTestServer();
  const agent = new Agent(server);
  const mints = new Map<string, string>();
  for (const ticker of ["ONE", "TWO", "SIX"]) {
    await agent.signIn();
    mints.set(ticker, (await agent.launched(ticker)).tokenMint ?? "");
    server.clock.advance(DAY_MS);
  }
  await agent.signIn();
  await agent.post("/dev/airdrop", { sol: 1 });
  const mint = mints.get("ONE") ?? "";
  await agent.post("/dev/trade", { tokenMint: mint, side: "buy", sol: 1 });

  const elsewhere = Keypair.generate().publicKey.toBase58();
  using database = new Database(dataFiles(server.config.dataDir).database);
  database.run("update tokens set pool_address = ? where ticker = 'TWO'", [elsewhere]);
  const list = async (query = "") => {
    const { status, body } = await agent.get(`/api/v1/tokens/claims${query}`);
    expect(status).toBe(200);
    return expectShape(ClaimListSchema, body);
  };
  const unreadable = [
    {
      tokenMint: mints.get("TWO") ?? "",
      ticker: "TWO",
      error: `The pool ${elsewhere} was not found`,
    },
  ];
  const whole = await list();
  expect(whole.claims.map(({ ticker, dbcClaimableFees }) => [ticker, dbcClaimableFees])).toEqual([
    ["SIX", 0],
    ["ONE", 0.01],
  ]);
  expect(whole.unreadable).toEqual(unreadable);
  const first = await list("?limit=2");
  expect(first.claims.map(({ ticker }) => ticker)).toEqual(["SIX"]);
  expect(first.unreadable).toEqual(unreadable);
  const last = await list(`?limit=2&cursor=${first.nextCursor}`);
  expect(last).toEqual({ claims: whole.claims.slice(1) });

  expect((await agent.claim(mint)).claimedSOL).toBe(0.01);
  const { status } = await agent.post(`/api/v1/tokens/claims/${mints.get("TWO")}`);
  expect(status).toBe(503);
});

describeMeteora("on the real programs", () => {
  test(
    "the fees of other tokens are listed, whatever the account of one has become",
    async () => {
      await using server = await startMeteoraServer();
      const { chain, connection } = server;
      const agent = await server.agent();
      const one = await server.launched(agent, "ONE");
      const two = await server.launched(agent, "TWO");
      await server.graduate(two.pool);
      const position = (await heldPosition(connection, agent.keypair.publicKey)).address;

      for (const address of [position, two.pool]) {
        const account = chain?.getAccount(address);
        if (!account) throw new Error(`no account ${address}`);
        const whole = { ...account, owner: new PublicKey(account.owner) };
        const foreign = { ...whole, owner: Keypair.generate().publicKey };
        for (const data of [
          whole.data.slice(0, -1),
          whole.data.slice(0, 40),
          Uint8Array.from(whole.data).fill(9, 0, 8),
        ]) {
          chain?.setAccount(address, { ...whole, data });
          const { status, body } = await agent.get("/api/v1/tokens/claims");
          expect(status).toBe(200);
          const { claims, unreadable } = expectShape(ClaimListSchema, body);
          expect(claims.map(({ ticker }) => ticker)).toEqual(["ONE"]);
          expect(unreadable).toMatchObject([
            { tokenMint: two.mint, error: expect.stringContaining(`The account ${address}`) },
          ]);
        }
        const longer = Buffer.concat([whole.data, Buffer.alloc(64, 7)]);
        chain?.setAccount(address, { ...whole, data: longer });
        expect((await agent.fees(two.mint)).isMigrated).toBe(true);
        chain?.setAccount(address, foreign);
        expect((await agent.get("/api/v1/tokens/claims")).status).toBe(200);
        expect((await agent.fees(one.mint)).dbcClaimableFees).toBeGreaterThan(0);
        chain?.setAccount(address, whole);
      }
      expect((await agent.claim(one.mint)).claimedSOL).toBeGreaterThan(0);
    },
    ON_CHAIN_MS,
  );
});

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  AccountLayout,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
} from "@solana/spl-token";
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import {
  CheckError,
  checkHandOverTransaction,
  type HandOverCost,
  type HandOverTerms,
  HandOverUnsettledError,
  keypairSigner,
  OverLimitError,
  TokenctlClient,
  verifyToken,
} from "@tokenctl/sdk";
import * as ids from "@tokenctl/shared/programs/ids";
import { solToLamports } from "@tokenctl/shared/sol";
import { liquidityPoolAddress } from "../../server/src/launchpad/meteora/liquidity-reader.ts";
import {
  givePositions,
  openLockedPosition,
  openPosition,
} from "../../server/src/launchpad/meteora/testing/positions.ts";
import {
  describeMeteora,
  ON_CHAIN_MS,
} from "../../server/src/launchpad/meteora/testing/programs.ts";
import { buy, buyMigrated, migrate } from "../../server/src/launchpad/meteora/testing/trades.ts";
import { Agent } from "../support/agent.ts";
import { forgedInstructions, unsignedBytes } from "../support/forged-instructions.ts";
import { startMeteoraServer } from "../support/meteora-server.ts";
import { airdrop } from "../support/node.ts";
import { startTestServer } from "../support/test-server.ts";

setDefaultTimeout(ON_CHAIN_MS);

type Send = (url: string, init?: RequestInit) => Promise<Response>;

const stranger = Keypair.generate().publicKey;
const newCreator = Keypair.generate();
const to = newCreator.publicKey.toBase58();
const DAMM_V2 = new PublicKey(ids.DAMM_V2);
const BLOCKHASH = Keypair.generate().publicKey.toBase58();

/** A hand-over as a server hands it out, with what its agent asked for. */
interface Prepared {
  readonly terms: HandOverTerms;
  readonly instructions: readonly TransactionInstruction[];
}

async function prepare(agent: Agent, mint: string, sandboxPool?: string): Promise<Prepared> {
  const { body } = await agent.post(`/api/v1/tokens/hand-overs/${mint}`, { to });
  const { transaction } = body as { transaction: string };
  const { message } = VersionedTransaction.deserialize(Buffer.from(transaction, "base64"));
  const { instructions } = TransactionMessage.decompile(message);
  const terms = { agent: agent.wallet, tokenMint: mint, to, maxNetworkFeeLamports: 20_000n };
  return { instructions, terms: { ...terms, sandboxPool } };
}

const bytesOf = (
  payer: PublicKey,
  instructions: readonly TransactionInstruction[],
  blockhash = BLOCKHASH,
) => unsignedBytes(payer, instructions, blockhash);

/** @param by whom an address gives way to, if to anyone */
const exchanged = (
  instructions: readonly TransactionInstruction[],
  by: (key: PublicKey) => PublicKey | undefined,
) =>
  instructions.map(({ programId, keys, data }) => {
    const changed = keys.map((key) => ({ ...key, pubkey: by(key.pubkey) ?? key.pubkey }));
    return new TransactionInstruction({ programId, data, keys: changed });
  });

const check = ({ terms }: Prepared, instructions: readonly TransactionInstruction[]) =>
  checkHandOverTransaction(bytesOf(new PublicKey(terms.agent), instructions), terms);

async function expectRefused(prepared: Prepared): Promise<number> {
  await check(prepared, prepared.instructions);
  let refused = 0;
  const { agent: wallet } = prepared.terms;
  const others = [new PublicKey(wallet), newCreator.publicKey, SystemProgram.programId];
  for (const forged of forgedInstructions(prepared.instructions, others[0] as PublicKey, others)) {
    await expect(check(prepared, forged)).rejects.toBeInstanceOf(CheckError);
    refused++;
  }
  const agent = new PublicKey(prepared.terms.agent);
  const withPrice = (microLamports: number) => [
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports }),
    ...prepared.instructions,
  ];
  await expect(check(prepared, withPrice(1e9))).rejects.toBeInstanceOf(OverLimitError);
  const byStranger = checkHandOverTransaction(
    bytesOf(stranger, prepared.instructions),
    prepared.terms,
  );
  await expect(byStranger).rejects.toThrow("instead of the agent");
  for (const terms of [
    { ...prepared.terms, to: stranger.toBase58() },
    { ...prepared.terms, tokenMint: stranger.toBase58() },
  ]) {
    const checking = checkHandOverTransaction(bytesOf(agent, prepared.instructions), terms);
    await expect(checking).rejects.toBeInstanceOf(CheckError);
  }
  return refused;
}

describeMeteora("a hand-over through the client", () => {
  let server: Awaited<ReturnType<typeof startMeteoraServer>>;
  beforeAll(async () => {
    server = await startMeteoraServer();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const clientOf = (
    { keypair }: { readonly keypair: Keypair },
    { send = fetch, rpcUrl }: { readonly send?: Send; readonly rpcUrl?: string } = {},
  ) =>
    new TokenctlClient({
      rpcUrl,
      // As which the server is known.
      apiUrl: "https://tokens.example",
      maxRetries: 0,
      fetch: (url, init) => send(url.replace("https://tokens.example", server.url), init),
      signer: keypairSigner(keypair.secretKey),
    });

  async function launched(ticker: string) {
    const token = await server.token(ticker);
    return { ...token, client: clientOf(token.agent) };
  }

  // Anyone can send the agent further positions, whose fees take up room.
  test.concurrent.each([
    { ticker: "FIVE", receivers: 5, positions: 0 },
    { ticker: "SENT", receivers: 1, positions: 2 },
  ])(
    "claims all open fees first, although $receivers receivers and $positions more positions leave no room for them in one claim",
    async ({ ticker, receivers, positions }) => {
      const { agent, client, mint, pool } = await launched(ticker);
      await server.graduate(pool);
      const sender = (await server.agent()).keypair;
      const after = liquidityPoolAddress(6, new PublicKey(mint));
      if (positions > 0) {
        await buyMigrated(server.connection, { pool: after, trader: sender }, 500_000_000n);
      }
      for (let sent = 0; sent < positions; sent++) {
        await openLockedPosition(server.connection, sender, new PublicKey(mint), 84);
      }
      await givePositions(server.connection, sender, agent.keypair.publicKey);
      await buyMigrated(server.connection, { pool: after, trader: server.trader }, 50_000_000_000n);
      const { dbcClaimableFees, lpClaimableFees } = await agent.fees(mint);
      const open = solToLamports(dbcClaimableFees) + solToLamports(lpClaimableFees);
      const claimTo = Array.from({ length: receivers }, () => ({
        address: Keypair.generate().publicKey.toBase58(),
        share: 100 / receivers,
      }));
      const { claimed } = await client.handOver(mint, { to, claimTo });
      expect(claimed.length).toBeGreaterThan(1);
      const balances = await Promise.all(claimTo.map(({ address }) => server.balance(address)));
      expect(balances.reduce((sum, each) => sum + each, 0n)).toBe(open);
    },
  );

  // Alone, because it moves the clock of all.
  test("the public page has the proofs that the client reads from the chain itself, of the service's own document too", async () => {
    const { agent, client, mint, pool } = await launched("PROOF");
    const config = server.config.toBase58();
    const documents: string[] = [];
    const read = () =>
      verifyToken(mint, {
        rpcUrl: server.url,
        config,
        fetch: (url, init) => {
          const { origin, pathname } = new URL(url);
          if (origin === server.url) return fetch(server.rpcUrl, init);
          documents.push(url);
          return fetch(server.url + pathname, init);
        },
      });
    const onCurve = await client.tokenProof(mint);
    expect(onCurve.proof).toEqual(await read());
    expect(documents).toEqual([`https://tokens.example/metadata/${mint}.json`]);
    expect(onCurve.proof).toMatchObject({ passed: true, creator: agent.wallet, config });
    expect(onCurve.proof.metadataSha256).toHaveLength(64);
    await server.graduate(pool);
    expect(await client.tokenProof(mint)).toEqual(onCurve);
    server.pass(5 * 60_000);
    const migrated = await client.tokenProof(mint);
    expect(migrated.proof).toEqual(await read());
    expect(migrated.proof.liquidityPoolAddress).not.toBeNull();
    expect(migrated.proof.facts).toContainEqual(
      expect.objectContaining({ name: "locked_liquidity", passes: true }),
    );
  });

  test.concurrent("with an RPC, no position whose liquidity the agent can withdraw goes along, whatever the server builds", async () => {
    const { agent, mint, pool } = await launched("OWNED");
    await buy(server.connection, { pool, trader: server.trader }, 400_000_000_000n);
    await airdrop(server.connection, agent.keypair.publicKey, 1e10);
    // The agent's own migration is one like any other.
    await migrate(server.connection, pool, agent.keypair);
    const after = liquidityPoolAddress(6, new PublicKey(mint));
    await buyMigrated(server.connection, { pool: after, trader: agent.keypair }, 1_000_000_000n);
    const nft = await openPosition(server.connection, agent.keypair, new PublicKey(mint));
    const honest = await prepare(agent, mint);
    const { positionNfts } = await check(honest, honest.instructions);
    expect(positionNfts).toHaveLength(1);
    const [migrated = ""] = positionNfts;
    // The same for the position that is its own.
    const addressesOf = (it: PublicKey) => [
      it,
      ...["position", "position_nft_account"].map(
        (seed) => PublicKey.findProgramAddressSync([Buffer.from(seed), it.toBuffer()], DAMM_V2)[0],
      ),
      getAssociatedTokenAddressSync(it, newCreator.publicKey, true, TOKEN_2022_PROGRAM_ID),
    ];
    const [from, into] = [addressesOf(new PublicKey(migrated)), addressesOf(nft)];
    const forged = exchanged(
      honest.instructions,
      (key) => into[from.findIndex((address) => address.equals(key))],
    );
    expect((await check(honest, forged)).positionNfts).toEqual([nft.toBase58()]);

    const { blockhash } = await server.connection.getLatestBlockhash();
    const bytes = bytesOf(agent.keypair.publicKey, forged, blockhash);
    const transaction = Buffer.from(bytes).toString("base64");
    const asked: string[] = [];
    const options = { to, claimFees: false };
    const hostile = clientOf(agent, {
      rpcUrl: server.rpcUrl,
      async send(url, init) {
        if (!url.includes("hand-overs")) return fetch(url, init);
        asked.push(String(init?.body));
        const prepared = { expiresInSeconds: 60, networkFeeSOL: 0, rentSOL: 0 };
        return Response.json({ success: true, transaction, ...prepared });
      },
    });
    const refused = await hostile.handOver(mint, options).catch((error) => error);
    expect(refused).toBeInstanceOf(CheckError);
    expect(refused.saw).toBe(
      `it gives the position of the NFT ${nft}, which has no locked liquidity`,
    );
    expect(asked).toHaveLength(1);
    const before = await server.balance(agent.wallet);
    const approved: HandOverCost[] = [];
    await clientOf(agent, { rpcUrl: server.rpcUrl }).handOver(mint, {
      ...options,
      approve: (cost) => void approved.push(cost),
    });
    expect(approved).toMatchObject([
      {
        networkFeeLamports: 5_000n,
        rentLamports: 2_074_080n,
        givesRole: true,
        givesPosition: true,
      },
    ]);
    expect(approved[0]?.createdAccounts).toHaveLength(1);
    expect(before - (await server.balance(agent.wallet))).toBe(2_079_080n);
    const { value } = await server.connection.getTokenAccountsByOwner(agent.keypair.publicKey, {
      programId: TOKEN_2022_PROGRAM_ID,
    });
    const held = value.map(({ account }) => AccountLayout.decode(account.data));
    const nfts = held.filter(({ amount }) => amount === 1n).map((it) => it.mint.toBase58());
    expect([nfts.includes(nft.toBase58()), nfts.includes(migrated)]).toEqual([true, false]);
  });

  test.concurrent("one whose answer is lost throws what was signed, which gets the first answer when it is sent again", async () => {
    const { agent, client, mint } = await launched("LOSTONE");
    const send: Send = async (url, init) => {
      const answer = await fetch(url, init);
      if (!String(init?.body).includes("signedTransaction") || !url.includes("hand-overs")) {
        return answer;
      }
      await answer.body?.cancel();
      throw new Error("the connection was lost");
    };
    const error = await clientOf(agent, { send })
      .handOver(mint, { to })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(HandOverUnsettledError);
    const { signedTransaction, transactionHash, claimed } = error as HandOverUnsettledError;
    expect(claimed).toHaveLength(1);
    const signed = { to, signedTransaction };
    expect(await client.submitHandOver(mint, signed)).toEqual({
      success: true,
      transactionHash,
      to,
    });
    const wrong = client.submitHandOver(mint, { ...signed, to: agent.wallet });
    await expect(wrong).rejects.toThrow("The receipt is of another hand-over");
  });

  test.concurrent("no fees are given away because the server says that there are none, if the caller's node shows some", async () => {
    for (const [ticker, isMigrated] of [
      ["CURVELIE", false],
      ["POOLLIE", true],
    ] as const) {
      const { agent, mint, pool } = await launched(ticker);
      if (isMigrated) {
        await server.graduate(pool);
        const after = liquidityPoolAddress(6, new PublicKey(mint));
        await buyMigrated(
          server.connection,
          { pool: after, trader: server.trader },
          50_000_000_000n,
        );
      }
      const { dbcClaimableFees, lpClaimableFees } = await agent.fees(mint);
      const open = solToLamports(dbcClaimableFees) + solToLamports(lpClaimableFees);
      const sent: string[] = [];
      const send: Send = async (url, init) => {
        if (`${init?.body}`.includes("signedTransaction")) sent.push(url);
        if (!url.includes("/tokens/claims/")) return fetch(url, init);
        return Response.json(
          { error: "No fees to claim", code: "no_fees_to_claim" },
          { status: 409 },
        );
      };
      const { rpcUrl } = server;
      const refused = await clientOf(agent, { send, rpcUrl })
        .handOver(mint, { to })
        .catch((error) => error);
      expect(refused).toBeInstanceOf(CheckError);
      expect(refused.saw).toStartWith(`claims paid 0 lamports of the ${open} that`);
      expect(open).toBeGreaterThan(isMigrated ? 1_000_000n : 0n);
      expect(sent).toEqual([]);
      expect(await agent.fees(mint)).toMatchObject({ dbcClaimableFees, lpClaimableFees });
      const { claimed } = await clientOf(agent, { rpcUrl }).handOver(mint, { to });
      expect(claimed.map(({ claimedSOL }) => solToLamports(claimedSOL))).toEqual([open]);
    }
  });

  test.concurrent("no fees of a pool are given away that the server's first transaction left out", async () => {
    const { agent, mint, pool } = await launched("LATER");
    await server.graduate(pool);
    await clientOf(agent).claim(mint);
    const after = liquidityPoolAddress(6, new PublicKey(mint));
    await buyMigrated(server.connection, { pool: after, trader: server.trader }, 50_000_000_000n);
    const sent: string[] = [];
    let prepared = 0;
    const send: Send = async (url, init) => {
      const isSigned = `${init?.body}`.includes("signedTransaction");
      if (isSigned) sent.push(url);
      if (url.includes("/tokens/claims/")) {
        const body = { error: "No fees to claim", code: "no_fees_to_claim" };
        return Response.json(body, { status: 409 });
      }
      const answer = await fetch(url, init);
      if (!url.includes("hand-overs") || isSigned || ++prepared > 1) return answer;
      const offer = (await answer.json()) as { transaction: string };
      const { instructions, recentBlockhash } = Transaction.from(
        Buffer.from(offer.transaction, "base64"),
      );
      const role = instructions.filter(({ programId }) => String(programId) === ids.DBC);
      const bytes = bytesOf(agent.keypair.publicKey, role, recentBlockhash);
      return Response.json({ ...offer, transaction: Buffer.from(bytes).toString("base64") });
    };
    const refused = await clientOf(agent, { send, rpcUrl: server.rpcUrl })
      .handOver(mint, { to })
      .catch((error) => error);
    expect(prepared).toBe(2);
    expect(refused).toBeInstanceOf(CheckError);
    expect(sent).toEqual([]);
  });

  test.concurrent("nothing is signed if the caller's own node does not know the token", async () => {
    const { agent, mint } = await launched("NOWHERE");
    const send: Send = async (url, init) => {
      const answer = await fetch(url, init);
      if (!String(init?.body).includes("getMultipleAccounts")) return answer;
      const { result } = (await answer.json()) as { result: { value: unknown[] } };
      return Response.json({ result: { value: [null, ...result.value.slice(1)] } });
    };
    const { rpcUrl } = server;
    const handing = clientOf(agent, { send, rpcUrl }).handOver(mint, { to });
    const error = await handing.catch((thrown) => thrown);
    expect(error).toBeInstanceOf(CheckError);
    expect(error.message).toContain(
      `there is no mint ${mint} on the cluster of ${new URL(rpcUrl).origin}`,
    );
  });

  describe.each([
    { ticker: "FORGE", isMigrated: false },
    { ticker: "FORGED", isMigrated: true },
  ])("after migration: $isMigrated", ({ ticker, isMigrated }) => {
    // Alone, because hundreds of checks at once keep the chain in this process from answering in time.
    test("every forgery of its transaction is refused before it is signed", async () => {
      const { agent, mint, pool } = await server.token(ticker);
      if (isMigrated) await server.graduate(pool);
      const prepared = await prepare(agent, mint);
      expect(await expectRefused(prepared)).toBeGreaterThan(isMigrated ? 180 : 60);
    });
  });

  test.concurrent("the position of another token, or in another pool, is not given away", async () => {
    const tokens = [];
    for (const ticker of ["RIGHT", "WRONG"]) {
      const { agent: owner, mint, pool } = await server.token(ticker);
      await server.graduate(pool);
      tokens.push({ owner, mint, ...(await prepare(owner, mint)) });
    }
    const [right, wrong] = tokens as [(typeof tokens)[number], (typeof tokens)[number]];
    const isRole = ({ keys }: TransactionInstruction) => keys.length === 7;
    const isBudget = ({ keys }: TransactionInstruction) => keys.length === 0;
    const part = (of: Prepared, which: (one: TransactionInstruction) => boolean) =>
      of.instructions.filter(which);
    const ofPosition = (one: TransactionInstruction) => !isRole(one) && !isBudget(one);
    const agentOfRight = new PublicKey(right.terms.agent);
    const renamed = exchanged(part(wrong, ofPosition), (key) =>
      key.toBase58() === wrong.terms.agent ? agentOfRight : undefined,
    );
    const forged = [...part(right, isBudget), ...part(right, isRole), ...renamed];
    await expect(check(right, forged)).rejects.toThrow("not a pool of the token");
    // With the right pool it passes the eye, and fails on chain.
    const [[prove], [theirs]] = [right, wrong].map((of) => part(of, ofPosition)) as [
      [TransactionInstruction],
      [TransactionInstruction],
    ];
    const keys = theirs.keys.with(0, prove.keys[0] as (typeof prove.keys)[number]);
    const asked = new TransactionInstruction({ ...theirs, keys });
    const { value } = await server.connection.simulateTransaction(
      new VersionedTransaction(
        new TransactionMessage({
          payerKey: wrong.owner.keypair.publicKey,
          recentBlockhash: (await server.connection.getLatestBlockhash()).blockhash,
          instructions: [asked],
        }).compileToLegacyMessage(),
      ),
    );
    // Anchor's `ConstraintHasOne`.
    expect(value.err).toEqual({ InstructionError: [0, { Custom: 2001 }] });
  });
});

test("on a sandbox every forgery is refused, and all of it where a real chain is expected", async () => {
  await using server = await startTestServer();
  const agent = await Agent.signedIn(server);
  await agent.post("/dev/airdrop", { sol: 1 });
  const { tokenMint, poolAddress } = await agent.launched("BOX");
  if (!tokenMint || !poolAddress) throw new Error("the launch failed");
  const prepared = await prepare(agent, tokenMint, poolAddress);
  expect(await expectRefused(prepared)).toBeGreaterThan(60);
  const real = { ...prepared, terms: { ...prepared.terms, sandboxPool: undefined } };
  await expect(check(real, real.instructions)).rejects.toThrow("the caller expects a real chain");
  const unmarked = prepared.instructions.filter(({ data }) => data[0] !== 23);
  expect(unmarked).toHaveLength(prepared.instructions.length - 1);
  for (const terms of [prepared, real]) {
    await expect(check(terms, unmarked)).rejects.toThrow("could land on a real chain");
  }
  const client = new TokenctlClient({
    apiUrl: server.url,
    signer: keypairSigner(agent.keypair.secretKey),
  });
  const { claimed } = await client.handOver(tokenMint, { to });
  expect(claimed).toEqual([]);
});

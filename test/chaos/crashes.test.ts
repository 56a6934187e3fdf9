import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Connection, Keypair, PublicKey } from "@solana/web3.js";
import { parseSol } from "@tokenctl/shared/sol";
import { CHECKPOINTS, type CheckpointName } from "../../server/src/launchpad/checkpoint.ts";
import { deriveKeypair } from "../../server/src/launchpad/local/accounts.ts";
import { buy } from "../../server/src/launchpad/meteora/testing/curve-trades.ts";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { programsFolder } from "../../server/src/localnet/programs.ts";
import type { Agent } from "../support/agent.ts";
import { installBinaries } from "../support/binaries.ts";
import { configureMeteora } from "../support/meteora.ts";
import {
  type ServerProcess,
  startLocalnet,
  startTokend,
  tempFolder,
} from "../support/processes.ts";
import { earnAndClaim, Ledger, launch, submit } from "./agents.ts";
import { compareBooks } from "./books.ts";
import { figures, scale } from "./scale.ts";

const KILLS = scale(20, 500);
setDefaultTimeout(scale(110_000, 3_600_000));

/** How long a life may last that is to end at a random moment, in milliseconds. */
const MAX_RANDOM_LIFE_MS = 500;
/** How long it may take to reach a named point. */
const PATIENCE_MS = 2_500;
/** Launches that each life begins, and former ones that go on to claim in it. */
const LAUNCHES_PER_LIFE = 2;
const CLAIMS_PER_LIFE = 2;

/** What differs between the two chains. */
interface Scene {
  readonly tokend: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Lets others trade a token, so that it has earned fees. */
  earn(agent: Agent, mint: string): Promise<void>;
  launchWallet(): PublicKey;
  /** The chain, as seen while a server runs. */
  chain(server: ServerProcess): Connection;
}

/**
 * Kills the server over and over while agents launch and claim: half of the times at the named
 * points in turn, half at random moments. Then the books must agree with the chain.
 */
async function crash(scene: Scene) {
  const ledger = new Ledger();
  const killedAt: Record<string, number> = {};
  for (let kill = 0; kill < KILLS; kill++) {
    const point = kill % 2 === 0 ? CHECKPOINTS[(kill / 2) % CHECKPOINTS.length] : undefined;
    const where = await live(scene, ledger, kill, point);
    killedAt[where] = (killedAt[where] ?? 0) + 1;
  }
  await using server = await startTokend(scene.tokend, scene.folder, scene.env);
  const file = join(scene.folder, "data", "tokend.sqlite");
  const wallet = scene.launchWallet();
  const books = await compareBooks(server, scene.chain(server), wallet, ledger, file);
  await server.end("SIGTERM");
  const database = new Database(file, { readonly: true });
  const integrity = database.query("pragma integrity_check").values().flat();
  database.close();
  return { kills: KILLS, killedAt, ...books, integrity, surprises: ledger.surprises };
}

/** One life of the server. @returns where it ended */
async function live(
  scene: Scene,
  ledger: Ledger,
  life: number,
  point: CheckpointName | undefined,
): Promise<string> {
  let server: ServerProcess;
  try {
    server = await startTokend(scene.tokend, scene.folder, {
      ...scene.env,
      ...(point !== undefined && { TOKEND_CRASH_AT: point }),
    });
  } catch (error) {
    // What it took up again brought it to the point before it listened.
    if (point !== undefined) return point;
    throw error;
  }
  const work = load(server, scene, ledger, life);
  const limit = point === undefined ? Math.random() * MAX_RANDOM_LIFE_MS : PATIENCE_MS;
  const died = await Promise.race([server.exited, Bun.sleep(limit)]);
  await server.end("SIGKILL");
  await work;
  return died === undefined ? "random" : (point ?? "by itself");
}

/** What agents do during one life of the server, as far as they come. */
async function load(server: ServerProcess, scene: Scene, ledger: Ledger, life: number) {
  const former = ledger.launches.slice(-LAUNCHES_PER_LIFE * 3);
  const claims = ledger.claims.filter(({ answer }) => answer === null).slice(-CLAIMS_PER_LIFE);
  await Promise.all([
    ...Array.from({ length: LAUNCHES_PER_LIFE }, () => ledger.bear(() => launch(server, ledger))),
    ...Array.from({ length: Math.min(CLAIMS_PER_LIFE, former.length) }, (_, index) => {
      const who = former[(life + index) % former.length];
      return ledger.bear(async () => {
        if (who) await earnAndClaim(server, ledger, who, scene.earn);
      });
    }),
    ...claims.map((claim) => ledger.bear(() => submit(server, claim))),
  ]);
}

function expectGood(result: Awaited<ReturnType<typeof crash>>): void {
  expect(result.surprises).toEqual([]);
  expect(result).toMatchObject({
    lost: 0,
    stuck: 0,
    unsuccessful: 0,
    deployedTwice: 0,
    claimsRecordedWrong: 0,
    integrity: ["ok"],
  });
  expect(result.launchesAccepted).toBeGreaterThan(KILLS / 2);
  expect(result.claimsConfirmed).toBeGreaterThan(0);
}

describe("kill -9", () => {
  test("on the embedded chain, which dies with the server, nothing is lost or doubled", async () => {
    using folder = tempFolder();
    const { tokend } = await installBinaries(folder.path);
    const result = await crash({
      tokend,
      folder: folder.path,
      env: { LOG_LEVEL: "info" },
      async earn(agent, tokenMint) {
        await agent.post("/dev/airdrop", { sol: 1 });
        await agent.post("/dev/trade", { tokenMint, side: "buy", sol: 1 });
      },
      launchWallet() {
        const secret = readFileSync(join(folder.path, "data", "mint.secret"), "utf8").trim();
        return deriveKeypair(Buffer.from(secret, "hex"), "wallet").publicKey;
      },
      chain: ({ url }) => new Connection(`${url}/dev/rpc`, "confirmed"),
    });
    figures("kill -9, embedded chain", result);
    expectGood(result);
  });

  describeMeteora("on a cluster", () => {
    const folder = tempFolder();
    let localnet: ServerProcess;
    let tokend: string;
    beforeAll(async () => {
      ({ tokend } = await installBinaries(folder.path));
      localnet = await startLocalnet(tokend, folder.path, programsFolder(process.env));
    });
    afterAll(async () => {
      await localnet?.[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    });

    test("on Meteora's programs, which live on, nothing is lost or doubled", async () => {
      const chain = new Connection(localnet.url, "confirmed");
      const trader = Keypair.generate();
      let purchases = 0n;
      await chain.requestAirdrop(trader.publicKey, 1e15);
      const { env, launchWallet } = await configureMeteora(tokend, folder.path, localnet.url);
      const result = await crash({
        tokend,
        folder: folder.path,
        env,
        async earn(agent, mint) {
          await chain.requestAirdrop(agent.keypair.publicKey, 1e9);
          const { body } = await agent.get(`/api/v1/tokens/${mint}`);
          const pool = new PublicKey((body as { poolAddress: string }).poolAddress);
          // Each of another amount: two alike at one blockhash would be the same transaction.
          await buy(chain, { pool, trader }, parseSol("1") + purchases++);
        },
        launchWallet: () => launchWallet,
        chain: () => chain,
      });
      figures("kill -9, Meteora's programs", result);
      expectGood(result);
    });
  });
});

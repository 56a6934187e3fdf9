import { expect, setDefaultTimeout, test } from "bun:test";
import { Connection, SystemProgram, Transaction } from "@solana/web3.js";
import { LaunchAcceptedSchema, PreparedLaunchSchema } from "@tokenctl/shared/contract/launch";
import { dataFiles } from "../../server/src/config/config.ts";
import { deriveKeypair } from "../../server/src/launchpad/local/accounts.ts";
import { send as sendTransaction } from "../../server/src/launchpad/meteora/testing/send.ts";
import { Sessions } from "../../server/src/modules/auth/sessions.ts";
import { admin, adminJson } from "../support/admin.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { JWT_SECRET } from "./attack-scene.ts";
import { inTurns } from "./in-turns.ts";
import { figures, isLong, scale } from "./scale.ts";

setDefaultTimeout(600_000);

const WALLETS = scale(30, 1_000);
const TICKERS = scale(60, 10_000);
/** Wallets that attack a service whose agents pay. */
const PAYERS = scale(600, 10_000);
const SIGN_WITHIN_SECONDS = 300;
/** Of a limit of launches in an hour. */
const PER_HOUR = 20;
const PER_ADDRESS = 10;
const HOUR_MS = 3_600_000;
/** Of a transfer, in lamports. */
const FEE = 5_000;
/** What a launch under the default config takes from the launch wallet on a real cluster. */
const LAUNCH_LAMPORTS = 11_702_800;

const ATTACKS = {
  "many wallets of one address": { wallets: WALLETS, tickers: 1, areApart: false },
  "many wallets of as many addresses": { wallets: WALLETS, tickers: 1, areApart: true },
  "one agent with many tickers": { wallets: 1, tickers: TICKERS, areApart: false },
} as const;

/** Each rule by its settings, and how many launches of each attack it lets through at most. */
const RULES = {
  open: { env: {}, launched: [PER_ADDRESS, WALLETS, 1] },
  "launches of an hour": {
    env: { MAX_LAUNCHES_PER_HOUR: String(PER_HOUR) },
    launched: [PER_ADDRESS, PER_HOUR, 1],
  },
  "a balance": { env: { MIN_AGENT_SOL: "0.05" }, launched: [0, 0, 0] },
  // One code has leaked.
  invite: { env: { ADMISSION: "invite" }, launched: [1, 1, 1] },
  allowlist: { env: { ADMISSION: "allowlist" }, launched: [0, 0, 0] },
} as const;

/** Tests of one request also show that the rules which the short form leaves out refuse. */
const tried = Object.entries(RULES).filter(
  ([rule]) => isLong || ["open", "launches of an hour", "invite"].includes(rule),
);

const cases = tried.flatMap(([rule, { env, launched }]) =>
  Object.entries(ATTACKS).map(([name, attack], index) => ({
    rule,
    name,
    env,
    attack,
    most: launched[index] ?? 0,
  })),
);

test.each(cases)(
  "$name cost what the rule lets through and keep no honest agent waiting longer: $rule",
  async ({ rule, name, env, attack, most }) => {
    await using server = await startTestServer({
      TRUST_PROXY: "true",
      MAX_LAUNCHES_PER_ADDRESS: String(PER_ADDRESS),
      // So that one agent can send all of its tickers from anywhere.
      ...(attack.wallets === 1 && { MAX_LAUNCHES_PER_AGENT: "0", MAX_LAUNCHES_PER_ADDRESS: "0" }),
      MAX_QUEUE: "0",
      ...env,
    });
    const dir = server.config.dataDir;
    const { invites } = await adminJson(dir, "invites", "create", "--count", "2");
    const [leaked, own] = invites.map(({ code }: { code: string }) => code);
    const honest = await Agent.signedIn(server);
    await honest.post("/dev/airdrop", { wallet: honest.wallet, sol: 1 });
    await honest.post("/api/v1/invites/redeem", { code: own });
    await admin(dir, "allow", honest.wallet);

    const attackers = await inTurns(attack.wallets, () => Agent.signedIn(server));
    const answers = inTurns(attack.wallets * attack.tickers, async (index) => {
      const place = Math.floor(index / attack.tickers);
      const address = attack.areApart ? `10.0.${place >> 8}.${place & 255}` : "10.9.9.9";
      const request = { name: "Sybil", ticker: `S${index}`, inviteCode: leaked };
      const headers = { "x-forwarded-for": address };
      return await attackers[place]?.post("/api/v1/tokens/launch", request, headers);
    });
    // The attack's launches wait when the honest agent comes; only if the service's clock has to be moved
    // later, the worker must have had its time.
    await answers;
    if (rule === "launches of an hour") await untilQuiet(dir);
    const before = await launched(dir);
    const startedAt = performance.now();
    const waitedMs = await untilLaunched(honest, server);
    const seconds = (performance.now() - startedAt) / 1000;
    const overtaking = (await launched(dir)) - before - 1;
    await untilQuiet(dir);
    const ofAttack = (await launched(dir)) - 1;
    const refused = (await answers).filter((answer) => answer?.status !== 200).length;
    figures("sybils", {
      rule,
      attack: name,
      requests: attack.wallets * attack.tickers,
      refused,
      launched: ofAttack,
      solOfLaunchWallet: (ofAttack * LAUNCH_LAMPORTS) / 1e9,
      honestWaitedMinutes: waitedMs / 60_000,
      honestSeconds: seconds,
      overtaking,
    });
    expect(ofAttack).toBeLessThanOrEqual(most);
    // Only a full hour makes an agent wait for its place.
    expect(waitedMs).toBeLessThanOrEqual(rule === "launches of an hour" ? HOUR_MS : 0);
    if (attack.wallets === 1) expect(waitedMs).toBe(0);
  },
);

test("one amount that passes through ten wallets until their launches start serves the last one alone", async () => {
  const started = Promise.withResolvers<void>();
  await using server = await startTestServer(
    { MIN_AGENT_SOL: "0.05", TRUST_PROXY: "true" },
    { crashPoint: (point) => (point === "launch.leased" ? started.promise : undefined) },
  );
  const chain = new Connection(`${server.url}/dev/rpc`, "confirmed");
  const agents = await inTurns(10, () => Agent.signedIn(server));
  const [first] = agents;
  await first?.post("/dev/airdrop", { sol: 1 });
  const launches: string[] = [];
  for (const [n, agent] of agents.entries()) {
    const next = agents[n + 1];
    const { status, body } = await agent.launch({ ticker: `PASS${n}` });
    expect(status).toBe(200);
    launches.push(expectShape(LaunchAcceptedSchema, body).eventId);
    if (!next) break;
    const { publicKey: fromPubkey } = agent.keypair;
    const all = (await chain.getBalance(fromPubkey)) - FEE;
    const away = { fromPubkey, toPubkey: next.keypair.publicKey, lamports: all };
    await sendTransaction(chain, [SystemProgram.transfer(away)], [agent.keypair]);
  }
  started.resolve();
  for (const [n, agent] of agents.entries()) {
    const { status, error } = await agent.untilEnded(launches[n] ?? "");
    expect(status).toBe(n === 9 ? "success" : "failed");
    if (n < 9) expect(error).toContain("must hold 0.05 SOL to launch");
  }
});

/** What an attacker may do with a launch that it is to pay for; without SOL none of it ends on chain. */
const PAID_ATTACKS = ["never signs", "asks for the transaction", "signs what is no transaction"];

test.each([
  ["one network", () => "10.9.9.9"],
  ["as many addresses", (index: number) => `10.0.${index >> 8}.${index & 255}`],
])(
  "many wallets of %s cost nothing where agents pay, and an honest agent launches once they were to sign",
  async (name, addressOf) => {
    await using server = await startTestServer({
      JWT_SECRET,
      LAUNCH_PAYER: "agent",
      TRUST_PROXY: "true",
      MAX_LAUNCHES_PER_ADDRESS: String(PER_ADDRESS),
      // All of them may wait, if they are from as many networks.
      MAX_QUEUE: String(PAYERS),
      NETWORK_SHARE: "50",
    });
    const dir = server.config.dataDir;
    const honest = await Agent.signedIn(server);
    await honest.post("/dev/airdrop", { wallet: honest.wallet, sol: 1 });
    const chain = new Connection(`${server.url}/dev/rpc`, "confirmed");
    const secret = await Bun.file(dataFiles(dir).mintSecret).text();
    const wallet = deriveKeypair(Buffer.from(secret.trim(), "hex"), "wallet").publicKey;
    const held = await chain.getBalance(wallet);
    expect(held).toBeGreaterThan(0);

    // Signing in costs the operator nothing either, as attacks-on-sign-in.test.ts shows.
    const sessions = new Sessions(server.clock, [Buffer.from(JWT_SECRET)]);
    const startedAt = performance.now();
    const statuses = await inTurns(PAYERS, async (index) => {
      const attacker = new Agent(server);
      attacker.token = await sessions.issue(attacker.wallet);
      const headers = { "x-forwarded-for": addressOf(index) };
      const request = { name: "Sybil", ticker: `S${index}`, payer: "agent" };
      const { status, body } = await attacker.post("/api/v1/tokens/launch", request, headers);
      const path = `/api/v1/tokens/launch/${(body as { eventId: string }).eventId}/transaction`;
      const attack = PAID_ATTACKS[index % PAID_ATTACKS.length];
      if (status !== 200 || attack === "never signs") return status;
      const isAsking = attack === "asks for the transaction";
      const step = await attacker.post(path, isAsking ? undefined : { signedTransaction: "AAAA" });
      expect(step.status).toBe(isAsking ? 409 : 400);
      return status;
    });
    const seconds = (performance.now() - startedAt) / 1000;
    const accepted = statuses.filter((status) => status === 200).length;

    let waitedSeconds = 0;
    const request = { ticker: "HONEST", payer: "agent" } as const;
    let answer = await honest.launch(request);
    while (answer.status !== 200) {
      expect(answer.body).toMatchObject({ code: "queue_full" });
      server.clock.advance(SIGN_WITHIN_SECONDS * 1_000);
      waitedSeconds += SIGN_WITHIN_SECONDS;
      await untilQuiet(dir);
      answer = await honest.launch(request);
    }
    const { eventId } = expectShape(LaunchAcceptedSchema, answer.body);
    const path = `/api/v1/tokens/launch/${eventId}/transaction`;
    const { transaction } = expectShape(PreparedLaunchSchema, (await honest.post(path)).body);
    const signed = Transaction.from(Buffer.from(transaction, "base64"));
    signed.partialSign(honest.keypair);
    const bytes = signed.serialize({ requireAllSignatures: false }).toString("base64");
    await honest.post(path, { signedTransaction: bytes });
    expect(await honest.untilEnded(eventId)).toMatchObject({ status: "success", payer: "agent" });

    expect(await chain.getBalance(wallet)).toBe(held);
    const { wallet: spending } = await adminJson(dir, "status");
    expect(spending.spentTodaySOL).toBe(0);
    expect(await launched(dir)).toBe(1);
    expect(waitedSeconds).toBeLessThanOrEqual(SIGN_WITHIN_SECONDS);
    figures("sybils where agents pay", {
      attack: name,
      wallets: PAYERS,
      accepted,
      seconds,
      lamportsOfOperator: held - (await chain.getBalance(wallet)),
      honestWaitedSeconds: waitedSeconds,
    });
  },
);

/** How many tokens the service has launched. */
async function launched(dataDir: string): Promise<number> {
  const successes = ["launches", "--status", "success", "--limit", "10000"];
  return (await adminJson(dataDir, ...successes)).launches.length;
}

/** Waits until all launches that the rules let through have ended. */
async function untilQuiet(dataDir: string): Promise<void> {
  while ((await adminJson(dataDir, "status")).queue.depth > 0) await Bun.sleep(50);
}

/**
 * Launches for an agent, and waits as long as the service says.
 *
 * @returns how long that was by the service's clock, in milliseconds
 */
async function untilLaunched(agent: Agent, server: TestServer): Promise<number> {
  for (let waitedMs = 0; ; ) {
    const { status, body, headers } = await agent.launch({ ticker: "HONEST" });
    if (status === 200) {
      const { eventId } = expectShape(LaunchAcceptedSchema, body);
      expect((await agent.untilEnded(eventId)).status).toBe("success");
      return waitedMs;
    }
    expect(body).toMatchObject({ code: "launch_rate_limit" });
    const pauseMs = Number(headers.get("retry-after")) * 1_000;
    server.clock.advance(pauseMs);
    waitedMs += pauseMs;
    await agent.signIn();
  }
}

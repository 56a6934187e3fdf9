import { afterAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { PublicKey, TransactionInstruction } from "@solana/web3.js";
import { keypairSigner, type LaunchCheck, type LaunchStatus, TokenctlClient } from "@tokenctl/sdk";
import { offsetOf, sizeOf } from "@tokenctl/shared/programs/codec";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { DBC, TOKEN } from "@tokenctl/shared/programs/ids";
import { expectedLaunch } from "../../../sdk/src/claim-check/launch.ts";
import { build } from "../../../sdk/test/claim-transactions.ts";
import { startTestServer } from "../../../test/support/test-server.ts";
import { type Handler, refuseWith, serveApi } from "../testing/api.ts";
import { type Finished, run, temporaryWallet } from "../testing/cli.ts";
import { EVENT, launchStatus, MINT, POOL } from "../testing/records.ts";

const server = await startTestServer({ LAUNCH_PAYER: "agent" });
afterAll(() => server[Symbol.asyncDispose]());

let tickers = 0;

/** Makes a wallet with this much SOL that is about to launch a token. */
async function agent(sol = 1) {
  const wallet = temporaryWallet();
  const signer = keypairSigner(wallet.secretKey);
  const client = new TokenctlClient({ apiUrl: server.url, signer });
  if (sol > 0) await client.dev.airdrop({ sol });
  const ticker = `DEAD${++tickers}`;
  const state = { XDG_STATE_HOME: join(wallet.path, "state") };
  return {
    ...wallet,
    client,
    ticker,
    launch: ["launch", "--name", "Dead end", "--ticker", ticker, "--pay", "--interval", "0.1"],
    tokenctl: (args: readonly string[], answer?: (prompt: string) => string, url = server.url) =>
      run([...args, "--api-url", url, "-k", wallet.keypair], {
        env: state,
        ...(answer && { answer }),
      }),
    /** Returns the state of the launch, or whether another wallet could use its ticker. */
    async end(): Promise<LaunchStatus["status"] | "free" | "taken"> {
      const { launches } = await client.launches();
      const [launch] = launches;
      if (launch?.status === "success" || launch?.status === "pending") return launch.status;
      using other = temporaryWallet();
      const asking = new TokenctlClient({
        apiUrl: server.url,
        signer: keypairSigner(other.secretKey),
      });
      const { refusals } = await asking.checkLaunch({ name: "Other", ticker, payer: "agent" });
      return refusals.some(({ code }) => code === "ticker_taken") ? "taken" : "free";
    },
  };
}

type Agent = Awaited<ReturnType<typeof agent>>;

const hinted = ({ stderr }: Finished) =>
  Array.from(stderr.matchAll(/`tokenctl ([^`]+)`/g), ([, line = ""]) => line.split(" "));

/** Starts a proxy that reports the server's chain as devnet, so that a terminal asks. */
const front = (routes: Record<string, Handler> = {}) =>
  serveApi({ "GET /health": asDevnet, ...routes }, server.url);
const asDevnet = () => ({ ok: true, db: "connected", timestamp: "now", network: "devnet" });

/** Starts a proxy whose server refuses the signed launch. */
function refusing(url = server.url, others: Record<string, Handler> = {}) {
  const refused: Record<string, Handler> = {
    transaction: () => refuseWith("launch_unaffordable"),
    cancel: () => refuseWith("not_cancellable"),
  };
  const routes = new Proxy<Record<string, Handler>>(
    {},
    { get: (_, route: string) => others[route] ?? refused[route.split("/").at(-1) ?? ""] },
  );
  return serveApi(routes, url);
}

async function leftUnsigned(owner: Agent, ...flags: string[]): Promise<Finished> {
  await using api = refusing();
  const left = await owner.tokenctl([...owner.launch, ...flags, "--yes"], undefined, api.url);
  expect(left.stderr).toContain("hint: The launch stays: ");
  return left;
}

/** The genesis hash of mainnet-beta. */
const MAINNET = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";
const BOUGHT = /^First buy +about \d[\d,.]* tokens$/m;

test("a wallet that cannot pay gets a hint that pays, and then its token", async () => {
  using owner = await agent(0);
  const poor = await owner.tokenctl([...owner.launch, "--yes"]);
  expect(poor.exitCode).toBe(5);
  expect(await owner.end()).toBe("free");
  const airdrop = hinted(poor).find(([word]) => word === "dev") ?? [];
  expect((await owner.tokenctl(airdrop)).exitCode).toBe(0);
  const paid = await owner.tokenctl([...owner.launch, "--first-buy", "0.1", "--yes"]);
  expect(paid).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(BOUGHT) });
  expect(await owner.end()).toBe("success");
});

describe.each([
  ["a limit of its own", ["--max-cost-sol", "0.001", "--yes"], "more than the 0.001 SOL allowed"],
  ["a first buy larger than the curve", ["--first-buy", "500", "--yes"], "The curve sells tokens"],
  ["a pipe without --yes", [], "spends its SOL\nhint: Add --yes"],
])("a launch that is refused by %s", (_, flags, text) => {
  test("stores nothing", async () => {
    using owner = await agent(600);
    const refused = await owner.tokenctl([...owner.launch, ...flags]);
    expect(refused.stderr).toContain(text);
    expect(refused.exitCode).toBeGreaterThan(0);
    expect(await owner.end()).toBe("free");
  });
});

test("without a question it costs at most 0.1 SOL beside the first buy, whatever the service asks", async () => {
  using owner = await agent();
  await using dear = await startTestServer({ LAUNCH_PAYER: "agent", LOCAL_RENT: "139200" });
  const client = new TokenctlClient({
    apiUrl: dear.url,
    signer: keypairSigner(owner.secretKey),
  });
  await client.dev.airdrop({ sol: 1 });
  const refused = await owner.tokenctl([...owner.launch, "--yes"], undefined, dear.url);
  expect(refused.stderr).toContain("more than your --max-cost-sol of 0.1 SOL");
  expect((await client.launches()).launches).toEqual([]);
  // What a person agrees to holds for a later signature without a question.
  await using api = refusing(dear.url, { "GET /health": asDevnet });
  const left = await owner.tokenctl(owner.launch, () => "y", api.url);
  expect(left.stderr).toContain("hint: The launch stays: ");
  const signed = await owner.tokenctl(["retry", owner.ticker, "--yes"], undefined, dear.url);
  expect(signed.exitCode).toBe(0);
  using other = await agent();
  const another = new TokenctlClient({ apiUrl: dear.url, signer: keypairSigner(other.secretKey) });
  await another.dev.airdrop({ sol: 1 });
  const limit = ["--max-cost-sol", "0.2", "--yes"];
  expect((await other.tokenctl([...other.launch, ...limit], undefined, dear.url)).exitCode).toBe(0);
});

test("n and Ctrl-C at the question leave nothing, and it shows what becomes permanent", async () => {
  using owner = await agent();
  await using api = front();
  let asked = "";
  const links = ["--website", "https://dead.example", "--description", "No way out"];
  const refused = await owner.tokenctl(
    [...owner.launch, ...links, "--first-buy", "0.1"],
    () => "n",
    api.url,
  );
  expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
  for (const fact of [
    ...["Name on chain  Dead end\n", "Description    No way out\n", "Website        https://dead"],
    ...["Paid by        this wallet\n", "Cost           at most 0.", "First buy      0.1 SOL\n"],
    ...[
      "It gets        at least ",
      "Fee on curve   1 % of each trade",
      "error: Nothing was done\n",
    ],
  ]) {
    expect(refused.stderr).toContain(fact);
  }
  expect(await owner.end()).toBe("free");
  const interrupted = await owner.tokenctl(
    owner.launch,
    () => {
      asked = "asked";
      throw Object.assign(new Error("Interrupted"), { name: "AbortError" });
    },
    api.url,
  );
  expect([asked, interrupted.exitCode > 0, await owner.end()]).toEqual(["asked", true, "free"]);
});

describe("a launch that was stored and not signed", () => {
  test.each([
    ["status", "success"],
    ["cancel", "free"],
  ])("leaves a hint whose `%s` ends with %s", async (word, end) => {
    using owner = await agent();
    const left = await leftUnsigned(owner);
    expect(await owner.end()).toBe("pending");
    const next = hinted(left).find(([first]) => first === word) ?? [];
    expect((await owner.tokenctl([...next, "--yes"])).exitCode).toBe(0);
    expect(await owner.end()).toBe(end as "free");
  });

  test.each([
    ["retry", "success"],
    ["cancel", "free"],
  ])("is shown by `status`, whose hint's `%s` ends with %s", async (word, end) => {
    using owner = await agent();
    await leftUnsigned(owner);
    const shown = await run(
      ["status", owner.ticker, "--api-url", server.url, "-k", owner.keypair],
      {
        terminal: true,
        env: { TERM: "dumb" },
      },
    );
    expect(shown.stdout).toMatch(/Waiting for +your signature/);
    const next = hinted(shown).find(([first]) => first === word) ?? [];
    expect((await owner.tokenctl([...next, "--yes"])).exitCode).toBe(0);
    expect(await owner.end()).toBe(end as "free");
  });

  test("holds its ticker, and the next launch says how to go on", async () => {
    using owner = await agent();
    await leftUnsigned(owner);
    const again = await owner.tokenctl([...owner.launch, "--yes"]);
    expect(again.exitCode).toBe(5);
    expect(again.stderr).toContain("It is your own launch, which is pending");
    const piped = await owner.tokenctl(["retry", owner.ticker]);
    expect(piped.stderr).toContain("hint: Add --yes if no question can be asked. `tokenctl retry ");
    const [status = []] = hinted(again);
    expect((await owner.tokenctl(status, () => "y")).exitCode).toBe(0);
    expect(await owner.end()).toBe("success");
  });

  test("is not requested if what is agreed cannot be stored", async () => {
    using owner = await agent();
    const args = [...owner.launch, "--yes", "--api-url", server.url, "-k", owner.keypair];
    const { stderr, exitCode } = await run(args, { env: { XDG_STATE_HOME: "/dev/null" } });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: Cannot write \/dev\/null\/tokenctl\/paid-launches\/\S+ \(/);
    expect(stderr).toContain("name another with XDG_STATE_HOME");
    expect(await owner.end()).toBe("free");
  });

  test("is signed by no script that does not say so", async () => {
    using owner = await agent();
    await leftUnsigned(owner);
    const refused = await owner.tokenctl(["retry", owner.ticker]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(
      "spends its SOL; the launch waits for this wallet's signature",
    );
    expect(await owner.end()).toBe("pending");
  });

  test("costs no more than its --max-cost-sol when it is signed later", async () => {
    using owner = await agent();
    await leftUnsigned(owner, "--max-cost-sol", "0.1");
    const check = async (request: Request) => {
      const answer = await fetch(`${server.url}/api/v1/tokens/launch/check`, request);
      const found = (await answer.json()) as LaunchCheck;
      const costSOL = { ...found.payment?.costSOL, total: 0.2 };
      return { ...found, payment: { ...found.payment, costSOL } };
    };
    await using api = front({ "POST /api/v1/tokens/launch/check": check });
    const refused = await owner.tokenctl(["retry", owner.ticker, "--yes"], undefined, api.url);
    expect(refused.stderr).toContain("more than the 0.1 SOL allowed");
    expect(await owner.end()).toBe("pending");
  });

  test("is signed without a question only under the config that a person has agreed to", async () => {
    using owner = await agent();
    let config = owner.address;
    const check = async (request: Request) => {
      const answer = await fetch(`${server.url}/api/v1/tokens/launch/check`, request);
      const found = (await answer.json()) as LaunchCheck;
      return { ...found, payment: { ...found.payment, config } };
    };
    const others: Record<string, Handler> = {
      "POST /api/v1/tokens/launch/check": check,
      "POST /node": () => ({ jsonrpc: "2.0", id: 1, result: MAINNET }),
    };
    await using api = refusing(server.url, others);
    const node = ["--rpc-url", `${api.url}/node`];
    let asked = "";
    const agree = (prompt: string) => {
      asked = prompt;
      return "y";
    };
    const left = await owner.tokenctl([...owner.launch, ...node], agree, api.url);
    expect([asked, left.stderr]).toEqual([
      expect.stringContaining("on mainnet-beta?"),
      expect.stringContaining(`Config         ${owner.address}\n`),
    ]);
    const [launch] = (await owner.client.launches()).launches;
    const prepared = `POST /api/v1/tokens/launch/${launch?.eventId}/transaction`;
    others[prepared] = async ({ url, headers }) => {
      const answer = await fetch(server.url + new URL(url).pathname, { method: "POST", headers });
      return { ...((await answer.json()) as object), config };
    };
    config = MINT;
    const retry = ["retry", owner.ticker, "--yes", ...node];
    const refused = await owner.tokenctl(retry, undefined, api.url);
    expect(refused.stderr).toContain(`its config is ${MINT} instead of ${owner.address}`);
    expect(await owner.end()).toBe("pending");
  });

  test("is not signed under a config that the question did not show", async () => {
    using owner = await agent();
    await leftUnsigned(owner, "--max-cost-sol", "0.1");
    const [launch] = (await owner.client.launches()).launches;
    const { tag, fields } = dbc.accounts.PoolConfig;
    const greedy = new Uint8Array(tag.length + sizeOf(fields));
    greedy.set(tag);
    greedy[tag.length + offsetOf(fields, "creatorTradingFeePercentage")] = 100;
    const account = (of: string, data: Uint8Array) => ({
      lamports: 1,
      owner: of,
      data: [Buffer.from(data).toString("base64"), "base64"],
    });
    const node: Record<string, unknown> = {
      getGenesisHash: MAINNET,
      getFeeForMessage: { value: 10_000 },
      getMultipleAccounts: { value: [account(DBC, greedy), account(DBC, new Uint8Array(17))] },
    };
    const uri = `https://evil.example/metadata/${MINT}.json`;
    const terms = { agent: owner.address, name: "Dead end", symbol: owner.ticker, uri };
    const asked = { ...terms, config: POOL, maxNetworkFeeLamports: 0n };
    const { instructions } = expectedLaunch(asked, MINT, TOKEN);
    const built = instructions.map(
      ({ program, accounts, data }) =>
        new TransactionInstruction({
          programId: new PublicKey(program),
          keys: accounts.map(({ address, ...of }) => ({ ...of, pubkey: new PublicKey(address) })),
          data: Buffer.from(data),
        }),
    );
    const transaction = Buffer.from(build(built, new PublicKey(owner.address))).toString("base64");
    const signed: string[] = [];
    const offer = async (request: Request) => {
      const body = await request.text();
      if (body !== "") signed.push(body);
      const costSOL = { total: 0, rent: 0, networkFee: 0, creationFee: 0, firstBuy: 0 };
      const named = { config: POOL, metadataUri: uri, tokenMint: MINT, poolAddress: POOL, costSOL };
      return {
        success: true,
        eventId: EVENT,
        message: "",
        transaction,
        expiresInSeconds: 60,
        ...named,
      };
    };
    await using api = front({
      [`POST /api/v1/tokens/launch/${launch?.eventId}/transaction`]: offer,
      "POST /node": async (request) => {
        const { method } = (await request.json()) as { method: string };
        return { jsonrpc: "2.0", id: 1, result: node[method] };
      },
    });
    const status = ["status", owner.ticker, "--wait", "--rpc-url", `${api.url}/node`];
    const refused = await owner.tokenctl(status, () => "y", api.url);
    expect(refused.stderr).toContain(
      `Not signed: its config ${POOL} is not the one that was shown`,
    );
    expect(signed).toEqual([]);
  });

  test("is signed at most once more by one command, however often the server asks", async () => {
    using owner = await agent();
    await leftUnsigned(owner);
    let signatures = 0;
    const drop = async (request: Request) => {
      const body = await request.text();
      if (body.includes("signedTransaction")) {
        signatures++;
        return { success: true, eventId: EVENT, message: "" };
      }
      const { method, headers, url } = request;
      return fetch(server.url + new URL(url).pathname, { method, headers, body });
    };
    const routes = new Proxy<Record<string, Handler>>(
      {},
      { get: (_, route: string) => (route.endsWith("/transaction") ? drop : undefined) },
    );
    await using api = serveApi(routes, server.url);
    const { launches } = await owner.client.launches();
    const status = ["status", launches[0]?.eventId ?? "", "--wait", "--yes"];
    const left = await owner.tokenctl(status, undefined, api.url);
    expect([signatures, left.exitCode]).toEqual([1, 5]);
    expect(left.stderr).toContain("did not land; the launch waits for this wallet's signature");
    expect(await owner.end()).toBe("pending");
  });

  test("is dropped where this computer does not know it", async () => {
    using owner = await agent();
    await leftUnsigned(owner);
    rmSync(join(owner.path, "state"), { recursive: true });
    const unknown = await owner.tokenctl(["retry", owner.ticker, "--yes"]);
    expect(unknown.stderr).toContain("does not know what the launch of");
    const [cancel = []] = hinted(unknown);
    expect((await owner.tokenctl(cancel)).exitCode).toBe(0);
    expect(await owner.end()).toBe("free");
  });
});

describe("without a question, a command signs no launch but its own:", () => {
  /** A server on which each launch is said to be the one that the wallet left unsigned before. */
  function lying(owner: Agent, left: string) {
    const signed: string[] = [];
    const routes: Record<string, Handler> = {
      "POST /api/v1/tokens/launch": () => ({ success: true, eventId: EVENT, message: "" }),
      "POST /api/v1/tokens/launch/check": async (request) => {
        const answer = await fetch(`${server.url}/api/v1/tokens/launch/check`, request);
        return JSON.parse((await answer.text()).replaceAll(left, EVENT));
      },
      [`GET /api/v1/tokens/launch/status/${EVENT}`]: () =>
        launchStatus({ ticker: owner.ticker, waitingFor: "agent_signature", payer: "agent" }),
      [`POST /api/v1/tokens/launch/${EVENT}/transaction`]: async (request) => {
        const body = await request.text();
        const { method, headers } = request;
        const path = `/api/v1/tokens/launch/${left}/transaction`;
        if (body === "") return fetch(server.url + path, { method, headers });
        signed.push(body);
        return { success: true, eventId: EVENT, message: "" };
      },
    };
    return { api: serveApi(routes, server.url), signed };
  }

  test.each([
    ["launch", ["--name", "Free", "--ticker", "FREE", "--interval", "0.1"]],
    ["status", [EVENT, "--wait", "--interval", "0.1"]],
    ["retry", [EVENT, "--interval", "0.1"]],
  ])("%s", async (command, args) => {
    using owner = await agent();
    await leftUnsigned(owner);
    const [launch] = (await owner.client.launches()).launches;
    const { api, signed } = lying(owner, launch?.eventId ?? "");
    await using _ = api;
    const ended = await owner.tokenctl([command, ...args, "--yes"], undefined, api.url);
    expect(signed).toEqual([]);
    expect(ended.stderr).toContain(`does not know what the launch of ${owner.ticker} is to sign`);
    expect(ended.exitCode).toBeGreaterThan(0);
  });

  test("nor what was agreed for a launch that was never stored", async () => {
    using owner = await agent();
    const refuse = () => refuseWith("wallet_blocked");
    await using away = front({ "POST /api/v1/tokens/launch": refuse });
    await owner.tokenctl([...owner.launch, "--yes"], undefined, away.url);
    await using elsewhere = refusing();
    const signer = keypairSigner(owner.secretKey);
    const client = new TokenctlClient({ apiUrl: elsewhere.url, signer });
    const request = { name: "Dead end", ticker: owner.ticker, payer: "agent" } as const;
    const { eventId } = await client.launch(request).catch((error) => error);
    const { api, signed } = lying(owner, eventId);
    await using _ = api;
    const free = ["launch", "--name", "Free", "--ticker", "FREE", "--interval", "0.1", "--yes"];
    await owner.tokenctl(free, undefined, api.url);
    expect(signed).toEqual([]);
  });
});

test("a launch whose cost the service does not name is not asked about", async () => {
  using owner = await agent();
  const check = async (request: Request) => {
    const answer = await fetch(`${server.url}/api/v1/tokens/launch/check`, request);
    const { payment: _, ...found } = (await answer.json()) as LaunchCheck;
    return found;
  };
  await using api = front({ "POST /api/v1/tokens/launch/check": check });
  let asked = "";
  const agree = () => {
    asked = "asked";
    return "y";
  };
  const refused = await owner.tokenctl(owner.launch, agree, api.url);
  expect(refused.stderr).toContain("The service names no cost of the launch");
  expect([asked, refused.exitCode, await owner.end()]).toEqual(["", 1, "free"]);
});

test("a launch under another config than the one that was agreed is not signed", async () => {
  using owner = await agent();
  const check = async (request: Request) => {
    const answer = await fetch(`${server.url}/api/v1/tokens/launch/check`, request);
    const found = (await answer.json()) as LaunchCheck;
    return { ...found, payment: { ...found.payment, config: owner.address } };
  };
  const prepare = async ({ url, headers }: Request) => {
    const answer = await fetch(server.url + new URL(url).pathname, { method: "POST", headers });
    return { ...((await answer.json()) as object), config: MINT };
  };
  const checks: Record<string, Handler> = { "POST /api/v1/tokens/launch/check": check };
  const routes = new Proxy(checks, {
    get: (own, route: string) => (route.endsWith("/transaction") ? prepare : own[route]),
    has: (own, route: string) => route.endsWith("/transaction") || route in own,
  });
  await using api = serveApi(routes, server.url);
  const launch = [...owner.launch, "--yes", "--rpc-url", `${api.url}/node`];
  const refused = await owner.tokenctl(launch, undefined, api.url);
  expect(refused.stderr).toContain(`its config is ${MINT} instead of ${owner.address}`);
  expect(await owner.end()).toBe("free");
});

test("what was agreed pays for one mint, whatever a server asks to sign later", async () => {
  using owner = await agent();
  expect((await owner.tokenctl([...owner.launch, "--yes"])).exitCode).toBe(0);
  await using other = await startTestServer({ LAUNCH_PAYER: "agent" });
  const signer = keypairSigner(owner.secretKey);
  const client = new TokenctlClient({ apiUrl: other.url, signer });
  await client.dev.airdrop({ sol: 1 });
  const request = { name: "Dead end", ticker: owner.ticker, payer: "agent" } as const;
  const approve = () => Promise.reject(new Error("no"));
  await expect(client.launch(request, { approve })).rejects.toThrow("no");
  const eventId = (await client.launches()).launches[0]?.eventId ?? "";
  await client.retryLaunch(eventId);
  const known = (await owner.client.launches()).launches[0]?.eventId ?? "";
  const asKnown = async (request: Request) => {
    const path = new URL(request.url).pathname.replace(known, eventId);
    const answer = await fetch(other.url + path, request);
    return new Response((await answer.text()).replaceAll(eventId, known), answer);
  };
  const isAbout = (route: string) => route.includes(known) || route.endsWith("/check");
  const routes = new Proxy<Record<string, Handler>>(
    {},
    { get: (_, route: string) => (isAbout(route) ? asKnown : undefined) },
  );
  await using api = serveApi(routes, other.url);
  const status = ["status", known, "--wait", "--yes"];
  const refused = await owner.tokenctl(status, undefined, api.url);
  expect(refused.stderr).toContain("another mint than the one that was signed before");
  expect(await client.launchStatus(eventId)).toMatchObject({ waitingFor: "agent_signature" });
});

test("another mint than the one that was signed is not said to be the launched token", async () => {
  using owner = await agent();
  const other = async (request: Request) => {
    const answer = await fetch(server.url + new URL(request.url).pathname, request);
    const text = (await answer.text()).replace(/"tokenMint":"\w+"/, `"tokenMint":"${MINT}"`);
    return new Response(text, answer);
  };
  const routes = new Proxy<Record<string, Handler>>(
    {},
    { get: (_, route: string) => (route.includes("/launch/status/") ? other : undefined) },
  );
  await using api = serveApi(routes, server.url);
  const launched = await owner.tokenctl([...owner.launch, "--yes"], undefined, api.url);
  expect(launched.stderr).toContain(`names the mint ${MINT}, but this wallet has signed `);
  expect(launched.exitCode).toBe(1);
});

test("a repeat with the same key pays for no other mint", async () => {
  using owner = await agent();
  await using other = await startTestServer({ LAUNCH_PAYER: "agent" });
  const signer = keypairSigner(owner.secretKey);
  const client = new TokenctlClient({ apiUrl: other.url, signer });
  await client.dev.airdrop({ sol: 1 });
  let upstream = server.url;
  const forward = (request: Request) => fetch(upstream + new URL(request.url).pathname, request);
  const routes = new Proxy<Record<string, Handler>>({}, { get: () => forward });
  await using api = serveApi(routes, server.url);
  const launch = (key: string) =>
    owner.tokenctl([...owner.launch, "--yes", "--idempotency-key", key], undefined, api.url);
  expect((await launch("once")).exitCode).toBe(0);
  upstream = other.url;
  const repeated = await launch("once");
  expect(repeated.stderr).toContain("another mint than the one that was signed before");
  expect((await client.tokens()).tokens).toEqual([]);
  expect((await launch("twice")).exitCode).toBe(0);
});

test("Ctrl-C while the signed launch is submitted names the launch, and how to go on", async () => {
  using owner = await agent();
  const interrupts: (() => void)[] = [];
  const submitted: Handler = async (request) => {
    const isSigned = (await request.clone().text()).includes("signedTransaction");
    const answer = await fetch(server.url + new URL(request.url).pathname, request);
    if (isSigned) interrupts[0]?.();
    return answer;
  };
  const routeOf = (_: object, route: string) => (/n$/.test(route) ? submitted : undefined);
  await using api = serveApi(new Proxy({}, { get: routeOf }), server.url);
  const args = [...owner.launch, "--yes", "--api-url", api.url, "-k", owner.keypair];
  const left = await run(args, { onInterruptible: (listener) => interrupts.push(listener) });
  const [launch] = (await owner.client.launches()).launches;
  const hint = `hint: The launch stays: \`tokenctl status ${launch?.eventId} --wait\``;
  expect(left).toMatchObject({ exitCode: 130, stderr: expect.stringContaining(hint) });
});

test("a repeat with the same key signs the launch whose answer was lost, and then is that launch", async () => {
  using owner = await agent();
  const answers: Handler[] = [() => refuseWith("internal_error")];
  const launched: Handler = async (request) => {
    const answer = await fetch(`${server.url}/api/v1/tokens/launch`, request);
    return answers.pop()?.(request) ?? answer;
  };
  await using api = serveApi({ "POST /api/v1/tokens/launch": launched }, server.url);
  const args = [...owner.launch, "--yes", "--idempotency-key", "k"];
  const launch = (...more: string[]) => owner.tokenctl([...args, ...more], undefined, api.url);
  expect([(await launch()).exitCode, await owner.end()]).toEqual([1, "pending"]);
  expect([(await launch()).exitCode, await owner.end()]).toEqual([0, "success"]);
  const { balanceSOL } = await owner.client.balance();
  expect((await launch()).exitCode).toBe(0);
  expect((await launch("--description", "Another")).stderr).toContain("used with another request");
  expect((await owner.client.balance()).balanceSOL).toBe(balanceSOL);
});

test("a cancelled launch is tried again by its hint, and signed", async () => {
  using owner = await agent();
  await leftUnsigned(owner);
  await owner.tokenctl(["cancel", owner.ticker]);
  const ended = await owner.tokenctl(["status", owner.ticker]);
  const [retry = []] = hinted(ended);
  expect((await owner.tokenctl([...retry, "--yes"])).exitCode).toBe(0);
  expect(await owner.end()).toBe("success");
});

test("on a real chain nothing is stored until a node shows what the launchpad takes", async () => {
  using owner = await agent();
  const check = async (request: Request) => {
    const answer = await fetch(`${server.url}/api/v1/tokens/launch/check`, request);
    const found = (await answer.json()) as LaunchCheck;
    return { ...found, payment: { ...found.payment, config: owner.address } };
  };
  await using api = front({ "POST /api/v1/tokens/launch/check": check });
  const refused = await owner.tokenctl([...owner.launch, "--yes"], undefined, api.url);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("hint: Give a Solana node's address with --rpc-url");
  expect(await owner.end()).toBe("free");
});

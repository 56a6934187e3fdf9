import { beforeEach, describe, expect, test } from "bun:test";
import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import { PublicKey, TransactionInstruction } from "@solana/web3.js";
import { WRAPPED_SOL_MINT } from "@tokenctl/shared/payout";
import { decode, encode, sizeOf } from "@tokenctl/shared/programs/codec";
import type { CurveConfig } from "@tokenctl/shared/programs/curve-terms";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { DBC } from "@tokenctl/shared/programs/ids";
import { agent, build, keypair } from "../test/claim-transactions.ts";
import {
  accepted,
  eventId,
  launchCheck,
  launchPath,
  launchStatus,
  ok,
  refusal,
  statusPath,
  thrown,
  useScriptedServer,
} from "../test/client-fixtures.ts";
import { sandboxLaunch } from "../test/sandbox-launch.ts";
import type { SeenRequest } from "../test/scripted-server.ts";
import { ApiError } from "./api-error.ts";
import { expectedLaunch } from "./claim-check/launch.ts";
import { CheckError, OverLimitError } from "./claim-errors.ts";
import {
  AbortError,
  ConnectionError,
  InvalidArgumentError,
  InvalidResponseError,
  SignerError,
  TokenctlError,
} from "./errors.ts";
import { builder } from "./internal/program-address.ts";
import type { ClientOptions, LaunchApproval, LaunchOptions, QuoteOptions } from "./options.ts";
import { keypairSigner } from "./signer.ts";

const scripted = useScriptedServer();
const client = (options: ClientOptions = {}) => scripted.client({ maxRetries: 0, ...options });

const request = { name: "A token", ticker: "BOX", payer: "agent" } as const;
const signPath = `${launchPath}/${eventId}/transaction`;
const cancelPath = `${launchPath}/${eventId}/cancel`;
const config = keypair(61).publicKey.toBase58();
const noCost = { total: 0, rent: 0, networkFee: 0, creationFee: 0, firstBuy: 0 };

interface Payment {
  readonly config?: string | null;
  readonly total?: number;
  readonly canPay?: boolean;
}

const priced = ({ config = null, total = 0.02, canPay = true }: Payment = {}) =>
  ok({
    ...launchCheck,
    refusals: [],
    payment: {
      costSOL: { ...noCost, total, networkFee: 0.00005 },
      requiredSOL: total,
      balanceSOL: canPay ? 1 : 0.001,
      canPay,
      config,
    },
  });

function offering(transaction: Uint8Array, launch: object, expiresInSeconds = 60) {
  const prepared = { success: true, expiresInSeconds, costSOL: noCost, poolAddress: config };
  const base64 = Buffer.from(transaction).toString("base64");
  return ok({ ...prepared, transaction: base64, ...launch });
}

async function sandboxOffer(id = "one", change = (all: TransactionInstruction[]) => all) {
  const { instructions, signers } = await sandboxLaunch(undefined, id);
  const tokenMint = signers[0]?.publicKey.toBase58();
  return offering(build(change(instructions)), { tokenMint, config: null, metadataUri: null });
}

beforeEach(async () => {
  const { server } = scripted;
  server.script(`${launchPath}/check`, priced());
  server.script(launchPath, ok(accepted));
  server.script(signPath, ({ body }) => (body === undefined ? offer : ok(accepted)));
  server.script(cancelPath, ok(launchStatus("failed")));
});
const offer = await sandboxOffer();

const submitted = () => scripted.server.to(signPath).filter(({ body }) => body !== undefined);

describe("before a launch that the agent pays for is stored", () => {
  const node = { rpcUrl: "http://127.0.0.1:1" };
  const buying = { firstBuySOL: 1 };
  test.each<[string, Payment, LaunchOptions & { buying?: object; node?: object }, unknown, string]>(
    [
      ["a wallet that cannot pay", { canPay: false }, {}, ApiError, "cannot pay"],
      ["a limit of the caller's", {}, { maxCostSOL: 0.01 }, OverLimitError, "your maxCostSOL"],
      ["no amount as a limit", {}, { maxCostSOL: Number.NaN }, InvalidArgumentError, "maxCostSOL"],
      [
        "a config that nothing shows",
        { config },
        {},
        InvalidArgumentError,
        "set rpcUrl or expected",
      ],
      ["another config", { config }, { expectedConfig: "x" }, CheckError, "instead of x"],
      ["a sandbox instead of a config", {}, { expectedConfig: config }, CheckError, "real"],
      ["a sandbox instead of a node", {}, { node }, CheckError, "of a real chain"],
      ["a first buy without a limit", {}, { buying }, InvalidArgumentError, "first buy"],
    ],
  )("%s is a reason to store nothing", async (_, payment, options, type, text) => {
    scripted.server.script(`${launchPath}/check`, priced(payment));
    const { buying = {}, node = {}, ...launching } = options;
    const error = await thrown(client(node).launch({ ...request, ...buying }, launching));
    expect(error).toBeInstanceOf(type as typeof TokenctlError);
    expect(error.message).toContain(text);
    if (type !== CheckError) expect(error.hint ?? "").not.toContain("operator");
    expect(error.eventId).toBeUndefined();
    expect(scripted.server.to(launchPath)).toEqual([]);
  });

  test("a price that the server cannot read, or its own launch with the ticker, is left to the server", async () => {
    const refused = { code: "ticker_taken", error: "Ticker BOX already exists", eventId };
    for (const change of [{ payment: null }, { refusals: [refused] }]) {
      const json = priced({ canPay: false }).json as object;
      scripted.server.script(`${launchPath}/check`, ok({ ...json, ...change }));
      expect(await client().launch(request)).toEqual(accepted as never);
    }
  });
});

test("with a node, no first buy is quoted by a curve that only the server shows", async () => {
  const curve = [0, 1_000].map((raisedSOL) => ({ raisedSOL, priceSOL: 1 }));
  const json = { ...(priced().json as object), curve, payment: null };
  scripted.server.script(`${launchPath}/check`, ok(json));
  const buying = { ...request, firstBuySOL: 1 };
  expect(await client().quoteFirstBuy(buying)).toMatchObject({ config: null });
  for (const wrong of [
    { curve: curve.map((knot) => ({ ...knot, priceSOL: 0 })) },
    {
      fees: {
        ...launchCheck.fees,
        bondingCurve: { ...launchCheck.fees.bondingCurve, startBps: 20_000 },
      },
    },
  ]) {
    scripted.server.script(`${launchPath}/check`, ok({ ...json, ...wrong }));
    expect(await thrown(client().quoteFirstBuy(buying))).toBeInstanceOf(InvalidArgumentError);
  }
  const node = client({ rpcUrl: "http://127.0.0.1:1" });
  expect((await thrown(node.quoteFirstBuy(buying))).message).toContain("Nothing shows");
});

describe("with a node, a first buy under the config that the server names", () => {
  const { tag, fields } = dbc.accounts.PoolConfig;
  const none = decode(fields, new Uint8Array(sizeOf(fields)));
  const [start, end] = [1n << 54n, 1n << 56n];
  const points = [{ sqrtPrice: end, liquidity: ((10n ** 11n) << 128n) / (end - start) }];
  const fee = (cliffFeeNumerator: bigint) => ({
    ...none.poolFees,
    baseFee: { ...none.poolFees.baseFee, cliffFeeNumerator },
  });
  const fair: CurveConfig = {
    ...none,
    poolFees: fee(10_000_000n),
    tokenDecimal: 6,
    creatorTradingFeePercentage: 100,
    sqrtStartPrice: start,
    migrationSqrtPrice: end,
    curve: [...points, ...none.curve.slice(1)],
  };

  /** Quotes 1 SOL by a node that shows this config. */
  function quote(found: CurveConfig, options: QuoteOptions = {}) {
    const rent = new Uint8Array(17);
    new DataView(rent.buffer).setFloat64(8, 1, true);
    const account = (owner: string, data: Uint8Array) => ({
      lamports: 1,
      owner,
      data: [Buffer.from(data).toString("base64"), "base64"],
    });
    const value = [
      account(DBC, Uint8Array.from([...tag, ...encode(fields, found)])),
      account(DBC, rent),
    ];
    scripted.server.script("/node", ok({ jsonrpc: "2.0", id: 1, result: { value } }));
    scripted.server.script(`${launchPath}/check`, priced({ config }));
    const node = client({ rpcUrl: `${scripted.server.url}/node` });
    return node.quoteFirstBuy({ ...request, firstBuySOL: 1 }, options);
  }

  const slow = { firstFactor: 10, secondFactor: 31_536_000n, thirdFactor: 98_000_000n };
  const falls = { ...fee(0n), baseFee: { ...fee(990_000_000n).baseFee, ...slow } };
  const cheapOnce = { enableFirstSwapWithMinFee: 1, creatorTradingFeePercentage: 1 };
  const vesting = { ...none.partnerLiquidityVestingInfo, vestingPercentage: 50 };
  const supply = { preMigrationTokenSupply: 1_000n, postMigrationTokenSupply: 1_000n };
  const few = { fixedTokenSupplyFlag: 1, migrationBaseThreshold: 100n, ...supply };
  const vested = { ...none.lockedVestingConfig, cliffUnlockAmount: 100n };
  test.each<[string, number, Partial<CurveConfig>]>([
    ["fees", 98, { poolFees: fee(990_000_000n), creatorTradingFeePercentage: 1 }],
    ["fees on a sale, which fall for years", 98, { poolFees: falls, ...cheapOnce }],
    ["the migration", 99, { migrationFeePercentage: 99 }],
    ["liquidity that it withdraws", 100, { partnerLiquidityPercentage: 100 }],
    ["liquidity that it withdraws later", 50, { partnerLiquidityVestingInfo: vesting }],
    ["tokens, for which the pool has few", 75, { ...few, swapBaseAmount: 600n }],
    ["tokens that it makes", 100, { tokenUpdateAuthority: 4 }],
    ["several ways", 14, { migrationFeePercentage: 7, partnerLiquidityPercentage: 7 }],
  ])("is not quoted if the partner takes it by %s", async (_, percent, terms) => {
    const greedy = { ...fair, ...terms };
    const error = await thrown(quote(greedy));
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error.message).toContain(`the config ${config} can get ${percent} % of what`);
    const expectedConfig = keypair(62).publicKey.toBase58();
    expect(await quote(greedy, { expectedConfig })).toMatchObject({ config: expectedConfig });
  });

  test("is quoted if nearly all of it stays with the agent and in the pool", async () => {
    const dear = { poolFees: fee(500_000_000n), creatorTradingFeePercentage: 80 };
    const own = { ...few, swapBaseAmount: 800n, lockedVestingConfig: vested };
    const most = { tokenUpdateAuthority: 3, migrationFeePercentage: 10 };
    for (const terms of [{}, dear, own, most]) {
      expect(Number((await quote({ ...fair, ...terms })).minTokens)).toBeGreaterThan(0);
    }
  });
});

test("the status of another launch is that of none", async () => {
  const other = "9b2e2c3e-0d4f-4a57-9f0c-5f0d1e2a3b4c";
  scripted.server.script(statusPath, ok({ ...launchStatus("success"), eventId: other }));
  for (const read of ["launchStatus", "waitForLaunch"] as const) {
    const error = await thrown(client()[read](eventId));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error.message).toContain(`the status of another launch, ${other}`);
  }
});

describe("a launch that is not signed", async () => {
  const declined = new Error("no");
  const broken = {
    publicKey: agent.publicKey.toBase58(),
    signMessage: (message: Uint8Array) => keypairSigner(agent).signMessage(message),
    signTransaction: () => Promise.reject(declined),
  };
  interface Failure {
    readonly step?: ReturnType<typeof ok>;
    readonly options?: LaunchOptions;
    readonly settings?: ClientOptions;
    readonly type: new (...args: never[]) => Error;
  }
  const failures: Record<string, Failure> = {
    "its wallet has spent its SOL": {
      step: refusal("launch_unaffordable"),
      type: ApiError,
    },
    "its transaction could land elsewhere": {
      step: await sandboxOffer("one", (all) => all.slice(1)),
      type: CheckError,
    },
    "its network fee is too high": {
      settings: { maxNetworkFeeLamports: 1 },
      type: OverLimitError,
    },
    "it costs too much after all": { options: { maxCostSOL: 0.005 }, type: OverLimitError },
    "it is declined": { options: { approve: () => Promise.reject(declined) }, type: Error },
    "its call is aborted": {
      options: {
        signal: AbortSignal.abort(),
        approve: () => {},
      },
      type: AbortError,
    },
    "its signer fails": { settings: { signer: broken }, type: SignerError },
  };

  test.each(Object.entries(failures))(
    "because %s is left only where its error says so",
    async (_, failure) => {
      const { server } = scripted;
      const { step = offer, options = {}, settings, type } = failure;
      const isDeclined = options.approve !== undefined && options.signal === undefined;
      server.script(`${launchPath}/check`, priced({ total: 0.001 }));
      server.script(statusPath, ok({ ...launchStatus("pending"), waitingFor: "agent_signature" }));
      for (const { key, replayed, cancelled = ok(launchStatus("failed")), isKnown } of [
        {},
        { key: "key" },
        { key: "key", replayed: true },
        { cancelled: refusal("not_cancellable") },
        { isKnown: true },
      ]) {
        server.script(signPath, step);
        server.script(launchPath, ok({ ...accepted, ...(replayed && { replayed }) }));
        server.script(cancelPath, cancelled);
        const before = server.to(cancelPath).length;
        const { signal, ...signing } = options;
        const aborting = new AbortController();
        const approve = signal ? async () => aborting.abort() : options.approve;
        const calling = { ...signing, approve, signal: aborting.signal };
        const error = await thrown(
          isKnown
            ? client(settings).signLaunch(eventId, request, calling)
            : client(settings).launch(request, { ...calling, idempotencyKey: key }),
        );
        const isOwn = !replayed && !isKnown;
        const isLeft = !isOwn || cancelled.status !== 200;
        expect(server.to(cancelPath).length - before).toBe(isOwn ? 1 : 0);
        if (!isLeft && isDeclined) {
          expect(error as unknown).toBe(declined);
          continue;
        }
        expect(error).toBeInstanceOf(isDeclined ? TokenctlError : type);
        expect(error.eventId).toBe(isLeft ? eventId : undefined);
        if (!isLeft) continue;
        expect(error.hint).toContain(`signLaunch("${eventId}", request) signs it`);
        expect(error.hint).toContain(`cancelLaunch("${eventId}") drops it`);
      }
      expect(submitted()).toEqual([]);
    },
  );

  test("because its answer was lost after the signature is never cancelled", async () => {
    for (const [step, type] of [
      ["hang up", ConnectionError],
      [refusal("launch_build_failed"), TokenctlError],
    ] as const) {
      scripted.server.script(signPath, ({ body }) => (body === undefined ? offer : step));
      const error = await thrown(client().launch(request));
      expect(error).toBeInstanceOf(type);
      expect(error.eventId).toBe(eventId);
      expect(error.hint).toContain(`waitForLaunch("${eventId}") says how it ends`);
    }
    expect(scripted.server.to(cancelPath)).toEqual([]);
  });

  test("because the wallet has its token of the day is accepted, and its status says so", async () => {
    const over = refusal("not_signable");
    scripted.server.script(signPath, ({ body }) => (body === undefined ? offer : over));
    scripted.server.script(statusPath, ok(launchStatus("rate_limited")));
    expect(await client().launch(request)).toMatchObject({ success: true, eventId });
  });

  test("because another call has signed it is accepted, if it may be that call's", async () => {
    const { server } = scripted;
    server.script(signPath, refusal("not_signable"));
    const waits = { ...launchStatus("pending"), waitingFor: "agent_signature" };
    server.script(statusPath, ok(waits));
    const error = await thrown(client().launch(request));
    expect(error).toMatchObject({ code: "not_signable" });
    // A restored database does not know that the token is on chain.
    server.script(statusPath, ok(launchStatus("success")));
    expect(await client().launch(request)).toMatchObject({ success: true, eventId });
    server.script(launchPath, ok({ ...accepted, replayed: true }));
    const repeated = () => client().launch(request, { idempotencyKey: "key" });
    server.script(statusPath, ok(waits), ok(launchStatus("pending")));
    expect(await repeated()).toMatchObject({ success: true, eventId });
    server.script(statusPath, ok(launchStatus("success")));
    expect(await repeated()).toMatchObject({ replayed: true });
    server.script(statusPath, refusal("token_not_found"));
    expect(await thrown(repeated())).toMatchObject({ code: "token_not_found", eventId });
    server.script(statusPath, ok(waits));
    expect(await thrown(repeated())).toMatchObject({ code: "not_signable", eventId });
    expect(await thrown(client().signLaunch(eventId, request))).toMatchObject({ eventId });
  });
});

describe("what was approved", () => {
  const otherConfig = keypair(62).publicKey.toBase58();
  const uriOf = (mint: string, host = "tokens.example") => `https://${host}/metadata/${mint}.json`;

  interface Real {
    readonly config?: string;
    readonly host?: string;
    readonly file?: string;
    readonly named?: string;
    readonly tokenProgram?: PublicKey;
    readonly mint?: PublicKey;
    readonly minUnits?: bigint;
  }

  function realOffer(changed: Real = {}, expiresInSeconds = 60) {
    const { config: of = config, tokenProgram = TOKEN_PROGRAM_ID, minUnits = 7_000_000n } = changed;
    const mint = (changed.mint ?? keypair(63).publicKey).toBase58();
    const uri = uriOf(changed.file ?? mint, changed.host);
    const terms = {
      agent: agent.publicKey.toBase58(),
      config: of,
      name: request.name,
      symbol: request.ticker,
      uri,
      maxNetworkFeeLamports: 0n,
      firstBuy: { lamports: 1_000_000_000n, minUnits },
    };
    const { instructions } = expectedLaunch(terms, mint, tokenProgram.toBase58());
    const built = instructions.map(
      ({ program, accounts, data }) =>
        new TransactionInstruction({
          programId: new PublicKey(program),
          keys: accounts.map(({ address }) => ({
            pubkey: new PublicKey(address),
            isSigner: [terms.agent, mint].includes(address),
            isWritable: true,
          })),
          data: Buffer.from(data),
        }),
    );
    return offering(
      build(built),
      { tokenMint: changed.named ?? mint, config: of, metadataUri: uri },
      expiresInSeconds,
    );
  }

  /** A node whose other config leaves the agent 1 % of the fees; each config takes 0.01 SOL. */
  function node({ body }: SeenRequest) {
    const { id, method, params } = body as { id: number; method: string; params: [string[]] };
    const account = (owner: PublicKey, data: Buffer) => ({
      lamports: 1,
      owner: owner.toBase58(),
      data: [data.toString("base64"), "base64"],
    });
    const configOf = (share: number) => {
      const data = Buffer.alloc(1_048);
      data.set(dbc.accounts.PoolConfig.tag);
      data[245] = share;
      data.writeBigUInt64LE(10_000_000n, 368);
      return account(new PublicKey(DBC), data);
    };
    const rent = Buffer.alloc(17);
    rent.writeBigUInt64LE(6_960n);
    rent.writeDoubleLE(1, 8);
    const accounts = params[0].map?.((address) =>
      [config, otherConfig].includes(address)
        ? configOf(address === config ? 99 : 1)
        : account(PublicKey.default, rent),
    );
    const value = method === "getFeeForMessage" ? 10_000 : accounts;
    return ok({ jsonrpc: "2.0", id, result: { value } });
  }

  const buying = { ...request, firstBuySOL: 1, firstBuyMinTokens: "7" } as const;
  const checked = () => client({ rpcUrl: `${scripted.server.url}/node` });

  /** Offers a launch that is about to expire, then another. Returns the approvals and the error. */
  async function asked(first: ReturnType<typeof offering>, next: ReturnType<typeof offering>) {
    scripted.server.script("/node", node);
    scripted.server.script(signPath, first, next);
    const approvals: LaunchApproval[] = [];
    const enough = new Error("enough");
    const approve = (launch: LaunchApproval) => {
      approvals.push(launch);
      if (approvals.length === 2) throw enough;
    };
    const signing = checked().signLaunch(eventId, buying, { approve });
    const error = await signing.then(
      () => null,
      (thrown: TokenctlError) => thrown,
    );
    return { approvals, error };
  }

  test("is the whole launch, as the transaction and the node say", async () => {
    const { approvals } = await asked(realOffer(), realOffer());
    const mint = keypair(63).publicKey.toBase58();
    expect(approvals).toEqual([
      {
        tokenMint: mint,
        poolAddress: builder.poolAddress(DBC, config, [mint, WRAPPED_SOL_MINT]),
        tokenStandard: "spl",
        config,
        metadataUri: uriOf(mint),
        creatorSharePercent: 99,
        firstBuyMinUnits: 7_000_000n,
        costSOL: {
          total: 1.03704808,
          rent: 0.01703808,
          networkFee: 0.00001,
          creationFee: 0.02,
          firstBuy: 1,
        },
      },
    ]);
  });

  test.each<[string, Real]>([
    ["config", { config: otherConfig }],
    ["address of its metadata", { host: "evil.example" }],
    ["token standard", { tokenProgram: TOKEN_2022_PROGRAM_ID }],
    ["mint and pool", { mint: keypair(64).publicKey }],
  ])("does not cover another %s, which is asked about again and not signed", async (_, changed) => {
    const { approvals, error } = await asked(realOffer({}, 0), realOffer(changed));
    expect(approvals).toHaveLength(2);
    expect(error).toMatchObject({ code: "not_approved" });
    expect(submitted()).toEqual([]);
  });

  test("covers the same launch again, which is signed without another question", async () => {
    const { approvals } = await asked(realOffer({}, 0), realOffer());
    expect(approvals).toHaveLength(1);
  });

  test("has the token's own document, or is not signed", async () => {
    for (const [changed, saw] of [
      [{ file: config }, "its metadata is at"],
      [{ file: config, named: config }, "its mint is"],
    ] as const) {
      const { approvals, error } = await asked(realOffer(changed), realOffer());
      expect(approvals).toEqual([]);
      expect(error?.message).toContain(saw);
    }
  });

  test("is asked for, if nothing else limits what a first buy gets", async () => {
    scripted.server.script("/node", node);
    scripted.server.script(signPath, realOffer({ minUnits: 0n }));
    const unlimited = { ...request, firstBuySOL: 1 };
    const error = await thrown(checked().signLaunch(eventId, unlimited));
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error.message).toContain("Nothing limits what the first buy gets");
    expect(submitted()).toEqual([]);
  });

  test("names the least that the first buy gets, and no transaction gets less", async () => {
    const { approvals, error } = await asked(realOffer({ minUnits: 6_999_999n }), realOffer());
    expect(approvals).toEqual([]);
    expect(error).toBeInstanceOf(CheckError);
  });

  test("is of no other config than the expected one", async () => {
    scripted.server.script("/node", node);
    scripted.server.script(signPath, realOffer());
    const error = await thrown(
      checked().signLaunch(eventId, buying, { expectedConfig: otherConfig }),
    );
    expect(error).toBeInstanceOf(CheckError);
    expect(submitted()).toEqual([]);
  });

  test("is no sandbox's if a real chain is expected, whatever config the server names", async () => {
    for (const named of [null, config]) {
      scripted.server.script(signPath, ok({ ...(offer.json as object), config: named }));
      const error = await thrown(client().signLaunch(eventId, request, { expectedConfig: config }));
      expect(error).toBeInstanceOf(CheckError);
    }
    expect(submitted()).toEqual([]);
  });

  test.each(["launch_expired", "launch_mismatch"])(
    "is one token: after %s, none with another mint is signed",
    async (refused) => {
      const other = await sandboxOffer("two");
      scripted.server.script(signPath, offer, refusal(refused), other);
      const mints: string[] = [];
      const approve = ({ tokenMint }: LaunchApproval) => void mints.push(tokenMint);
      const error = await thrown(client().signLaunch(eventId, request, { approve }));
      expect(error.message).toContain(`one with the mint ${mints[0]} is signed`);
      expect([mints.length, submitted().length]).toEqual([1, 1]);
    },
  );
});

import { beforeEach, describe, expect, spyOn, test } from "bun:test";
import {
  AuthorityType,
  createSetAuthorityInstruction,
  getAssociatedTokenAddressSync,
  MINT_SIZE,
  MintLayout,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import {
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from "@solana/web3.js";
import bs58 from "bs58";
import {
  agent,
  build,
  closingClaim,
  fromBase64,
  keypair,
  localClaim,
  mark,
  meteoraClaims,
  mint,
  PAID,
  payingClaim,
  pool,
  SPONSORED_FEE,
  sponsor,
  sponsoredClaim,
  stranger,
  tokenAccount,
} from "../test/claim-transactions.ts";
import {
  claimPath,
  mintAddress,
  ok,
  prepared,
  receipt,
  refusal,
  thrown,
  token,
  useScriptedServer,
} from "../test/client-fixtures.ts";
import {
  type ScriptedServer,
  type SeenRequest,
  startScriptedServer,
} from "../test/scripted-server.ts";
import type { ClaimCost } from "./claim-check/terms.ts";
import { CheckError, ClaimReceiptError } from "./claim-errors.ts";
import { TokenctlClient } from "./client.ts";
import { AbortError, InvalidArgumentError, RpcError } from "./errors.ts";
import type { ClientOptions } from "./options.ts";
import { keypairSigner } from "./signer.ts";

const wallet = agent.publicKey.toBase58();
const tokenPath = `/api/v1/tokens/${mintAddress}`;
const WRAPPED_SOL = "So11111111111111111111111111111111111111112";
const RENT = 2_039_280n;
const RENT_SYSVAR = "SysvarRent111111111111111111111111111111111";

const local = build(localClaim());
const curve = fromBase64(meteoraClaims.curve);
const preparing = (transaction: Uint8Array) =>
  ok({
    success: true,
    transaction: Buffer.from(transaction).toString("base64"),
    expiresInSeconds: 60,
  });
/**
 * Returns the agent's signature of a claim in base58, which names the transaction on any cluster.
 */
const hashOf = (transaction: Uint8Array) => {
  const signed = keypairSigner(agent).signTransaction(transaction) as Uint8Array;
  return bs58.encode(signed.subarray(1, 65));
};
const receiptOf = (transaction: Uint8Array, claimedSOL = 0.5) => ({
  success: true,
  transactionHash: hashOf(transaction),
  claimedSOL,
});

const account = (owner: PublicKey, data = Buffer.alloc(0)) => ({
  owner: owner.toBase58(),
  data: [data.toString("base64"), "base64"],
  lamports: 1,
  executable: false,
  rentEpoch: 0,
});
const mintData = (freezes: boolean) => {
  const data = Buffer.alloc(MINT_SIZE);
  MintLayout.encode(
    {
      mintAuthorityOption: 0,
      mintAuthority: PublicKey.default,
      supply: 1n,
      decimals: 6,
      isInitialized: true,
      freezeAuthorityOption: freezes ? 1 : 0,
      freezeAuthority: stranger,
    },
    data,
  );
  return data;
};
/** Returns the Rent sysvar: lamports per byte and year, and years. */
const rentOf = (perByte: bigint) => {
  const data = Buffer.alloc(17);
  data.writeBigUInt64LE(perByte);
  data.writeDoubleLE(1, 8);
  return account(SystemProgram.programId, data);
};

const scripted = useScriptedServer();
const client = (options: ClientOptions = {}) => scripted.client({ maxRetries: 0, ...options });

const handedIn = () =>
  scripted.server.to(claimPath).filter(({ body }) => body !== undefined).length;

describe("a receipt", () => {
  test("is refused if it is of another transaction", async () => {
    const lie = { ...receiptOf(local), transactionHash: hashOf(curve) };
    scripted.server.script(claimPath, preparing(local), ok(lie));
    const error = await thrown(client().claim(mintAddress));
    expect(error).toBeInstanceOf(ClaimReceiptError);
    expect(error).toMatchObject({
      code: "receipt_mismatch",
      transactionHash: hashOf(local),
      receipt: lie,
      message: `The receipt of claim ${hashOf(local)} is wrong: it names ${hashOf(curve)}`,
    });
  });

  test("cannot call itself verified", async () => {
    const boast = { ...receiptOf(local), verified: true, gainedSOL: 0.5 };
    scripted.server.script(claimPath, preparing(local), ok(boast));
    expect(await client().claim(mintAddress)).toEqual(receiptOf(local) as never);
  });
});

describe("a claim that pays other wallets", () => {
  const [vault, partner] = [51, 52].map((seed) => keypair(seed).publicKey) as [
    PublicKey,
    PublicKey,
  ];
  const to = [
    { address: vault.toBase58(), share: 70 },
    { address: partner.toBase58(), share: 30 },
  ];
  const right = build(
    payingClaim(localClaim(), [
      { to: vault, lamports: 2_240_001n },
      { to: partner, lamports: PAID - 2_240_001n },
    ]),
  );

  test("names them in step 1, and says what they get before the signature and in its result", async () => {
    const costs: ClaimCost[] = [];
    const approve = (cost: ClaimCost) => void costs.push(cost);
    for (const lie of [[], [{ address: wallet, paidSOL: 1, paidLamports: "1" }]]) {
      const transaction = Buffer.from(right).toString("base64");
      const answer = { success: true, transaction, expiresInSeconds: 60, receivers: lie };
      scripted.server.script(claimPath, ok(answer), ok({ ...receiptOf(right), receivers: lie }));
      const receivers = [
        { address: vault.toBase58(), lamports: 2_240_001n },
        { address: partner.toBase58(), lamports: 960_000n },
      ];
      const result = await client().claim(mintAddress, { to, approve });
      const paid = [
        { address: vault.toBase58(), paidSOL: 0.002240001, paidLamports: "2240001" },
        { address: partner.toBase58(), paidSOL: 0.00096, paidLamports: "960000" },
      ];
      expect(result).toEqual({ ...receiptOf(right), receivers: paid } as never);
      expect(JSON.parse(JSON.stringify(result))).toEqual(result);
      expect(costs.at(-1)).toMatchObject({ receivers });
    }
    expect(scripted.server.to(claimPath)[0]?.body).toEqual({ receivers: to });
    expect(Object.keys(scripted.server.to(claimPath)[1]?.body ?? {})).toEqual([
      "signedTransaction",
    ]);
  });

  test("can be taken step by step, with the receivers named for the check too", async () => {
    scripted.server.script(claimPath, preparing(right));
    const prepared = await client().prepareClaim(mintAddress, { to });
    expect(scripted.server.to(claimPath)[0]?.body).toEqual({ receivers: to });
    expect(await client().signClaim(mintAddress, prepared, { to })).toBeString();
    const error = await thrown(client().signClaim(mintAddress, prepared));
    expect(error).toBeInstanceOf(CheckError);
  });

  test("is not asked for if the shares are wrong, or an address is", async () => {
    for (const wrong of ["", "me", [], [{ address: wallet, share: 99 }], [...to, ...to]]) {
      for (const ask of ["claim", "prepareClaim"] as const) {
        const error = await thrown(client()[ask](mintAddress, { to: wrong }));
        expect(error).toBeInstanceOf(InvalidArgumentError);
      }
      const error = await thrown(client().claimAll({ to: wrong }));
      expect(error).toBeInstanceOf(InvalidArgumentError);
    }
    expect(scripted.server.to(claimPath)).toEqual([]);
  });
});

test.each([
  ["that it takes no fees of", [mintAddress, wallet], [mintAddress, wallet], wallet],
  ["that was not asked for", [wallet], [mintAddress], mintAddress],
])(
  "a claim of several tokens is not signed if the server names one %s",
  async (_, asked, named, wrong) => {
    const { json } = preparing(curve);
    scripted.server.script("/api/v1/tokens/claims", ok({ ...(json as object), tokenMints: named }));
    const error = await thrown(client().claimMany(asked));
    expect(error).toBeInstanceOf(CheckError);
    expect(error.message).toContain(wrong);
    expect(scripted.server.to("/api/v1/tokens/claims")).toHaveLength(1);
  },
);

describe("what a claim costs at most", () => {
  test("goes to approve before each signature, also if the claim is made again", async () => {
    const expired = refusal("claim_expired");
    scripted.server.script(
      claimPath,
      preparing(curve),
      expired,
      preparing(curve),
      ok(receiptOf(curve)),
    );
    const costs: ClaimCost[] = [];
    const signaturesThen: number[] = [];
    const approve = (cost: ClaimCost) => {
      costs.push(cost);
      signaturesThen.push(handedIn());
    };
    await client().claim(mintAddress, { approve });
    const createdAccounts = [{ address: tokenAccount.toBase58(), lamports: RENT }];
    const cost = {
      tokenMints: [mintAddress],
      networkFeeLamports: 25_000n,
      rentLamports: RENT,
      createdAccounts,
    };
    expect(costs).toEqual([cost, cost]);
    expect(signaturesThen).toEqual([0, 1]);
  });

  test("can be declined, so that nothing is signed", async () => {
    scripted.server.script(claimPath, preparing(curve), ok(receiptOf(curve)));
    const declined = new Error("too much");
    const approve = () => Promise.reject(declined);
    expect(await thrown(client().claim(mintAddress, { approve }))).toBe(declined as never);
    expect(handedIn()).toBe(0);
  });

  test("is 100 000 lamports of network fee by default", async () => {
    const withUnitPrice = (microLamports: bigint) =>
      build([
        ComputeBudgetProgram.setComputeUnitLimit({ units: 100_000 }),
        ComputeBudgetProgram.setComputeUnitPrice({ microLamports }),
        ...localClaim(),
      ]);
    const most = withUnitPrice(950_000n);
    scripted.server.script(claimPath, preparing(withUnitPrice(950_001n)));
    const { message } = await thrown(client().claim(mintAddress));
    expect(message).toContain("100001 lamports, more than your maxNetworkFeeLamports");
    scripted.server.script(claimPath, preparing(most), ok(receiptOf(most)));
    expect(await client().claim(mintAddress)).toMatchObject({ claimedSOL: 0.5 });
  });
});

describe("a transfer of wrapped SOL", () => {
  /** A client whose server, by its address, is not on this machine. */
  const remote = (options: ClientOptions = {}) =>
    client({
      apiUrl: "http://sandbox.example:8787",
      fetch: (url, init) =>
        fetch(url.replace("http://sandbox.example:8787", scripted.server.url), {
          ...init,
          headers: { ...init.headers, "x-remote": "yes" },
        }),
      ...options,
    });

  beforeEach(() => {
    const nonce = `sandbox.example:8787/${"n".repeat(22)}`;
    scripted.server.script("/api/auth/challenge", ({ headers }) =>
      ok({ nonce: headers["x-remote"] ? nonce : scripted.server.nonce(1) }),
    );
  });

  test("is signed for a sandbox anywhere, out of the token's fee vault", async () => {
    for (const sandbox of [client(), remote()]) {
      scripted.server.script(claimPath, preparing(local), ok(receiptOf(local)));
      expect(await sandbox.claim(mintAddress)).toMatchObject({ claimedSOL: 0.5 });
    }
    expect(scripted.server.to(tokenPath)).toHaveLength(2);
  });

  test("is refused without the sandbox's mark, or out of another pool that the server names", async () => {
    const [, ...unmarked] = localClaim();
    for (const hostile of [client(), remote()]) {
      scripted.server.script(claimPath, preparing(build(unmarked)));
      const { message } = await thrown(hostile.claim(mintAddress));
      expect(message).toContain("could land on a real chain");
    }
    expect(scripted.server.to(tokenPath)).toHaveLength(0);
    scripted.server.script(tokenPath, ok({ ...token, poolAddress: stranger.toBase58() }));
    scripted.server.script(claimPath, preparing(local));
    const error = await thrown(client().claim(mintAddress));
    expect(error).toBeInstanceOf(CheckError);
    expect(error.message).toContain("not a fee vault of the token's pool");
    expect(handedIn()).toBe(0);
  });

  test("is refused with a node of the caller's, unless it is the sandbox's own, with which no other claim is signed", async () => {
    const accounts = [account(TOKEN_PROGRAM_ID, mintData(false)), rentOf(6_960n)];
    const answers = { getFeeForMessage: 5_000, getMultipleAccounts: accounts };
    const answer = ({ body }: SeenRequest) => {
      const { method } = body as { method: keyof typeof answers };
      return ok({ jsonrpc: "2.0", id: 1, result: { value: answers[method] } });
    };
    for (const [path, isOwn] of [
      ["/", false],
      ["/dev/rpc", true],
      ["/dev/rpc/", true],
    ] as const) {
      scripted.server.script(path, answer);
      const approve = () => Promise.reject(new Error("enough"));
      for (const [transaction, saw] of [
        [local, isOwn ? "enough" : "the mark of a sandbox"],
        [curve, isOwn ? "could land on a real chain" : "does not show the rent"],
      ] as const) {
        scripted.server.script(claimPath, preparing(transaction));
        const checking = client({ rpcUrl: scripted.server.url + path });
        const error = await thrown(checking.claim(mintAddress, { approve }));
        expect(error.message).toContain(saw);
      }
    }
  });
});

describe("with an RPC", () => {
  type Methods = Record<string, (params: unknown[]) => unknown>;
  let node: ScriptedServer;
  beforeEach(async () => {
    node = await startScriptedServer();
    return () => node[Symbol.asyncDispose]();
  });

  /** Returns a message's fee as the node reports it: for its signatures, without priority. */
  const feeOf = ([message = ""]: unknown[]) =>
    5_000 * (Buffer.from(`${message}`, "base64")[0] ?? 0);
  /** Scripts the node's answers: each method's handler returns a result, or `{ error }`. */
  const answering = (methods: Methods) =>
    node.script("/", ({ body }: SeenRequest) => {
      const { id, method, params } = body as { id: number; method: string; params: unknown[] };
      const fee = method === "getFeeForMessage" ? { value: feeOf(params) } : null;
      const result = methods[method]?.(params) ?? fee;
      const isError = typeof result === "object" && result !== null && "error" in result;
      return ok({ jsonrpc: "2.0", id, ...(isError ? result : { result }) });
    });
  const asked = () => node.seen.map(({ body }) => (body as { method: string }).method);
  const verifying = (options: ClientOptions = {}) =>
    client({ rpcUrl: `${node.url}/?api-key=hush`, ...options });

  const existing = (...accounts: unknown[]) => existingAt(6_960n, ...accounts);
  const existingAt = (perByte: bigint, ...accounts: unknown[]) => ({
    context: { slot: 1 },
    value: [...accounts, rentOf(perByte)],
  });
  const sound = account(TOKEN_PROGRAM_ID, mintData(false));
  const balance = (accountIndex: number, owner: string, amount: string, of = WRAPPED_SOL) => ({
    accountIndex,
    owner,
    mint: of,
    uiTokenAmount: { amount, decimals: 9 },
  });
  /** The vault paid half a SOL; the wallet paid a rent and 5,000 lamports. */
  const landed = {
    slot: 1,
    meta: {
      err: null,
      fee: 5_000,
      preBalances: [1_000_000_000, 7],
      postBalances: [1_000_000_000 + 500_000_000 - Number(RENT) - 5_000, 7],
      preTokenBalances: [
        balance(3, pool.toBase58(), "700000000"),
        balance(4, wallet, "900"),
        balance(5, pool.toBase58(), "12345", mintAddress),
      ],
      postTokenBalances: [balance(3, pool.toBase58(), "200000000")],
    },
    transaction: {},
  };

  /** Claims with a node that answers `getTransaction` like this. */
  function claimed(getTransaction: Methods[string], claimedSOL?: number, options?: ClientOptions) {
    answering({ getMultipleAccounts: () => existing(sound, null), getTransaction });
    scripted.server.script(claimPath, preparing(curve), ok(receiptOf(curve, claimedSOL)));
    return verifying(options).claim(mintAddress);
  }

  test("a receipt is compared with what the transaction paid", async () => {
    expect(await claimed(([hash]) => (hash === hashOf(curve) ? landed : null))).toEqual({
      ...(receiptOf(curve) as ReturnType<typeof receiptOf> & { success: true }),
      verified: true,
      gainedSOL: 0.49795572,
    });
    expect(asked()).toEqual(["getFeeForMessage", "getMultipleAccounts", "getTransaction"]);
    const [, look, check] = node.seen.map(({ body }) => (body as { params: unknown[] }).params);
    expect(look?.[0]).toEqual([mintAddress, tokenAccount.toBase58(), RENT_SYSVAR]);
    const asJson = { commitment: "confirmed", encoding: "json", maxSupportedTransactionVersion: 1 };
    expect(check).toEqual([hashOf(curve), asJson]);
    expect(node.seen[0]?.path).toBe("/?api-key=hush");
    expect(node.seen[0]?.headers["accept-encoding"]).toBe("identity");
  });

  const failed = { ...landed, meta: { ...landed.meta, err: { InstructionError: [0, "Custom"] } } };
  test.each([
    ...[0.500000001, 0.499999999, 5e9, 0].map(
      (said) => [said, `it paid 0.5 SOL instead of ${said}`, landed] as const,
    ),
    [0.5, "it failed", failed],
  ] as const)("a receipt of %d SOL is refused, because %s", async (said, why, transaction) => {
    const error = await thrown(claimed(() => transaction, said));
    expect(error).toBeInstanceOf(ClaimReceiptError);
    expect(error.message).toEndWith(why);
  });

  test("a node that lags behind is asked again", async () => {
    let looks = 0;
    const lagging = () => {
      if (++looks === 1) return null;
      return looks === 2 ? { error: { code: -32005, message: "Node is behind" } } : landed;
    };
    expect(await claimed(lagging)).toMatchObject({ verified: true });
    expect(looks).toBe(3);
  });

  test.each([
    ["unsupported", { error: { code: -32601, message: "Method not found" } }],
    ["refused", { error: { code: -32602, message: "Invalid params" } }],
    ["unauthorised", { error: { code: 401, message: "no key" } }],
    ["garbage", { error: null }],
  ])("a node that answers %s is asked once, and the claim is not verified", async (_, refusing) => {
    let asked = 0;
    const refuse = () => {
      asked++;
      return refusing;
    };
    const error = await thrown(claimed(refuse, undefined, { maxRetries: 2 }));
    expect([error.code, asked]).toEqual(["claim_unverified", 1]);
  });

  test("a claim that the node never shows is not verified", async () => {
    const now = spyOn(performance, "now").mockReturnValue(0);
    try {
      const error = await thrown(
        claimed(() => {
          now.mockReturnValue(30_000);
          return null;
        }),
      );
      expect(error).toMatchObject({ code: "claim_unverified", transactionHash: hashOf(curve) });
      expect(error.message).toEndWith(`${node.url} does not know it`);
    } finally {
      now.mockRestore();
    }
  });

  test("the network fee is what the node says, and a blockhash that it does not know is not signed", async () => {
    scripted.server.script(claimPath, preparing(curve));
    const fees: bigint[] = [];
    const approve = ({ networkFeeLamports }: ClaimCost) => {
      fees.push(networkFeeLamports);
      throw new Error("enough");
    };
    for (const value of [1, 100_000, 100_001]) {
      answering({
        getMultipleAccounts: () => existing(sound, null),
        getFeeForMessage: () => ({ value }),
      });
      const error = await thrown(verifying().claim(mintAddress, { approve }));
      expect(error.message).toContain(value > 100_000 ? "more than your" : "enough");
    }
    expect(fees).toEqual([1n, 100_000n]);
    const now = spyOn(performance, "now").mockReturnValue(0);
    try {
      let asked = 0;
      answering({
        getFeeForMessage: () => {
          if (++asked === 2) now.mockReturnValue(30_000);
          return { value: null };
        },
      });
      const { message } = await thrown(verifying().claim(mintAddress));
      expect(message).toContain("it does not know the transaction's blockhash");
      expect(asked).toBe(2);
    } finally {
      now.mockRestore();
    }
  });

  test("an account costs the cluster's rent, and nothing if it exists already", async () => {
    scripted.server.script(claimPath, preparing(curve));
    for (const [there, perByte, rent] of [
      [null, 6_960n, RENT],
      [null, 696n, RENT / 10n],
      [account(SystemProgram.programId), 6_960n, RENT],
      [account(TOKEN_PROGRAM_ID), 6_960n, 0n],
    ] as const) {
      answering({ getMultipleAccounts: () => existingAt(perByte, sound, there) });
      const approve = ({ rentLamports, createdAccounts }: ClaimCost) => {
        expect(rentLamports).toBe(rent);
        expect(createdAccounts.map(({ lamports }) => lamports)).toEqual(rent > 0n ? [rent] : []);
        throw new Error("enough");
      };
      const { message } = await thrown(verifying().claim(mintAddress, { approve }));
      expect(message).toBe("enough");
    }
  });

  describe("a sponsor", () => {
    const rent = (perByte: bigint) => 293n * perByte;
    const claimRepaying = (lamports: bigint) =>
      build(sponsoredClaim(TOKEN_PROGRAM_ID, lamports + SPONSORED_FEE), sponsor.publicKey);
    const approved = async (transaction: Uint8Array, options: ClientOptions) => {
      scripted.server.script(claimPath, preparing(transaction));
      const costs: ClaimCost[] = [];
      const approve = (cost: ClaimCost) => {
        costs.push(cost);
        throw new Error("enough");
      };
      const error = await thrown(client(options).claim(mintAddress, { approve }));
      return { cost: costs[0], error };
    };

    test.each([
      ["6,960 lamports per byte", 6_960n, 0],
      ["696 lamports per byte", 696n, 0],
      ["696 lamports per byte, less the 1,000 lamports that were there", 696n, 1_000],
    ])(
      "is repaid what the account costs at %s, and no lamport more",
      async (_, perByte, before) => {
        const there = before > 0 ? { ...account(SystemProgram.programId), lamports: before } : null;
        answering({ getMultipleAccounts: () => existingAt(perByte, sound, there) });
        const exact = rent(perByte) - BigInt(before);
        const { cost, error } = await approved(claimRepaying(exact), { rpcUrl: node.url });
        expect(error.message).toBe("enough");
        // The agent gets the rent back when the account is closed.
        expect(cost).toMatchObject({ rentLamports: 0n, sponsor: { account: { lamports: exact } } });
        const kept = await approved(claimRepaying(exact + 1n), { rpcUrl: node.url });
        expect(kept.error).toBeInstanceOf(CheckError);
      },
    );

    test("can keep at most 6,960 lamports per byte without a node, which count as cost", async () => {
      const most = rent(6_960n);
      const { cost, error } = await approved(claimRepaying(most), {});
      expect(error.message).toBe("enough");
      expect(cost).toMatchObject({ rentLamports: most, sponsor: { account: { lamports: most } } });
      const more = await approved(claimRepaying(most + 1n), {});
      expect(more.error).toBeInstanceOf(CheckError);
    });
  });

  const invented: Record<string, [unknown[], string]> = {
    "that does not exist": [[null, null], `there is no mint ${mintAddress} on the cluster of`],
    "that is not a mint": [[account(SystemProgram.programId), null], "there is no mint"],
    "that can freeze its accounts": [
      [account(TOKEN_PROGRAM_ID, mintData(true)), null],
      "can freeze its accounts",
    ],
    "that can freeze an account that exists": [
      [account(TOKEN_PROGRAM_ID, mintData(true)), account(TOKEN_PROGRAM_ID)],
      "can freeze its accounts",
    ],
    "whose data is too short to say whether it can freeze": [
      [account(TOKEN_PROGRAM_ID), null],
      "can freeze",
    ],
  };
  for (const [name, [accounts, saw]] of Object.entries(invented)) {
    test(`a claim of a token ${name} is not signed`, async () => {
      answering({ getMultipleAccounts: () => existing(...accounts) });
      scripted.server.script(claimPath, preparing(curve), ok(receiptOf(curve)));
      const error = await thrown(verifying().claim(mintAddress));
      expect(error).toBeInstanceOf(CheckError);
      expect(error.message).toContain(saw);
      expect(handedIn()).toBe(0);
    });
  }

  test("nothing is signed if the node does not answer, and the error does not show its key", async () => {
    const failures: [Parameters<ScriptedServer["script"]>[1], string][] = [
      [{ status: 429, json: { error: "slow down" } }, "HTTP 429"],
      [{ status: 200, text: "<html>" }, "body is not an object"],
      [ok({ jsonrpc: "2.0", id: 1, result: { value: "?" } }), ".value is not a whole number"],
      [ok({ jsonrpc: "2.0", id: 1, error: { message: "no such method" } }), "no such method"],
      ["hang up", "Cannot reach"],
      ["hang", "was not answered within"],
      [{ status: 200, text: "", headers: { "content-encoding": "br" } }, "is compressed"],
    ];
    for (const [step, why] of failures) {
      node.script("/", step);
      scripted.server.script(claimPath, preparing(curve), ok(receiptOf(curve)));
      const options = step === "hang" ? { timeoutMs: 200 } : {};
      const error = await thrown(verifying(options).claim(mintAddress));
      expect(error).toBeInstanceOf(RpcError);
      expect(error.message).toStartWith(`getFeeForMessage of ${node.url} failed: `);
      expect(error.message).toContain(why);
      expect(Bun.inspect(error)).not.toContain("hush");
    }
    expect(handedIn()).toBe(0);
  });

  test("an rpcUrl that is not a URL is refused, and the error does not repeat it", async () => {
    for (const rpcUrl of ["", "hush", "ftp://x/hush", "http://u:hush@x", "http://x/#hush"]) {
      const { message } = await thrown((async () => new TokenctlClient({ rpcUrl }))());
      expect(message).toStartWith("rpcUrl ");
      expect(message).not.toContain("hush");
    }
  });
});

const expiring = { ...prepared, expiresInSeconds: 0 };
const steps1 = () => scripted.server.to(claimPath).filter(({ body }) => body === undefined).length;

/** Returns a client that counts what its wallet is asked to sign. */
function watched() {
  const asked: Uint8Array[] = [];
  const inner = keypairSigner(agent);
  const client = scripted.client({
    signer: {
      ...inner,
      signTransaction(transaction) {
        asked.push(transaction);
        return inner.signTransaction(transaction);
      },
    },
  });
  return { client, asked };
}

test("a claim that is about to expire is renewed before the wallet is asked, and approved once", async () => {
  const { client, asked } = watched();
  scripted.server.script(claimPath, ok(expiring), ok(prepared), ok(receipt));
  let approvals = 0;
  await client.claim(mintAddress, { approve: () => void approvals++ });
  expect(steps1()).toBe(2);
  expect(approvals).toBe(1);
  expect(asked).toHaveLength(1);
});

test("a renewed claim that costs more is approved again", async () => {
  const { client } = watched();
  const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 10_000n });
  const dearer = Buffer.from(build([price, ...localClaim()])).toString("base64");
  const renewed = { ...prepared, transaction: dearer };
  scripted.server.script(claimPath, ok(expiring), ok(renewed), ok(renewed));
  const fees: bigint[] = [];
  const approve = ({ networkFeeLamports }: ClaimCost) => {
    fees.push(networkFeeLamports);
    if (fees.length === 2) throw new Error("too much");
  };
  await expect(client.claim(mintAddress, { approve })).rejects.toThrow("too much");
  expect(fees[1]).toBeGreaterThan(fees[0] ?? 0n);
});

test("an approval of a sandbox's claim covers none that can land on a real chain", async () => {
  const { client, asked } = watched();
  const real = closingClaim();
  const isOfBudget = ({ programId }: TransactionInstruction) =>
    programId.equals(ComputeBudgetProgram.programId);
  const play = build([...real.filter(isOfBudget), ...localClaim()]);
  const { json } = preparing(play);
  const first = ok({ ...(json as object), expiresInSeconds: 0 });
  scripted.server.script(claimPath, first, preparing(build(real)));
  const values: boolean[] = [];
  const approve = async (_: ClaimCost, transaction: string) => {
    values.push(await client.hasValue(transaction));
    if (values.length === 2) throw new Error("enough");
  };
  expect((await thrown(client.claim(mintAddress, { approve }))).message).toBe("enough");
  expect([values, asked]).toEqual([[false, true], []]);
});

test("before a hand-over on a sandbox, no claim is signed that can land on a real chain", async () => {
  const { client, asked } = watched();
  const owner = agent.publicKey;
  const account = getAssociatedTokenAddressSync(mint, pool, true);
  const role = createSetAuthorityInstruction(account, owner, AuthorityType.CloseAccount, stranger);
  const offer = preparing(build([mark(), role])).json as object;
  const path = `/api/v1/tokens/hand-overs/${mintAddress}`;
  scripted.server.script(path, ok({ ...offer, networkFeeSOL: 0, rentSOL: 0 }));
  scripted.server.script(claimPath, preparing(build(closingClaim())));
  const approvals: boolean[] = [];
  const approve = async (_: object, transaction: string) =>
    void approvals.push(await client.hasValue(transaction));
  const error = await thrown(client.handOver(mintAddress, { to: stranger.toBase58(), approve }));
  expect(error.message).toContain("can land on another chain than what was approved");
  expect([approvals, asked]).toEqual([[false], []]);
});

test("a server that always has another claim, which has expired, gets no approval without end", async () => {
  const { client, asked } = watched();
  let approvals = 0;
  scripted.server.script(claimPath, () => {
    const price = ComputeBudgetProgram.setComputeUnitPrice({
      microLamports: 100n * BigInt(approvals),
    });
    const { json } = preparing(build([price, ...localClaim()]));
    return ok({ ...(json as object), expiresInSeconds: 0 });
  });
  const error = await thrown(client.claim(mintAddress, { approve: () => void approvals++ }));
  expect(error.message).toBe("The transactions expire before they can be approved");
  expect([approvals, asked.length]).toEqual([5, 0]);
});

test("a claim that was aborted while a person read is not signed", async () => {
  const { client, asked } = watched();
  scripted.server.script(claimPath, ok(prepared));
  const aborting = new AbortController();
  const claim = client.claim(mintAddress, {
    signal: aborting.signal,
    approve: async () => aborting.abort(),
  });
  await expect(claim).rejects.toThrow(AbortError);
  expect(asked).toEqual([]);
});

test("a signed claim is not renewed: the server alone says that it expired", async () => {
  const { client, asked } = watched();
  const expired = refusal("claim_expired");
  scripted.server.script(claimPath, ok(prepared), expired, ok(prepared), ok(receipt));
  let approvals = 0;
  await client.claim(mintAddress, { approve: () => void approvals++ });
  // A second signature could cost a second fee.
  expect([approvals, asked.length]).toEqual([2, 2]);
});

test("a claim that the server always calls expired is signed twice, and then is an error", async () => {
  const { client, asked } = watched();
  const isSigned = ({ body }: SeenRequest) => Object.hasOwn(Object(body), "signedTransaction");
  const expired = refusal("claim_expired");
  scripted.server.script(claimPath, (request) => (isSigned(request) ? expired : ok(prepared)));
  expect(await thrown(client.claim(mintAddress))).toMatchObject({ code: "claim_expired" });
  expect(asked).toHaveLength(2);
});

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { MigrationFeeOption } from "@meteora-ag/dynamic-bonding-curve-sdk";
import { createApproveInstruction, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token";
import { Keypair, PublicKey } from "@solana/web3.js";
import type { FactName, TokenProof } from "@tokenctl/shared/types";
import { run } from "../../cli/src/testing/cli.ts";
import { TimeoutError } from "../../sdk/src/errors.ts";
import type { FetchLike } from "../../sdk/src/internal/http.ts";
import type { VerifyOptions } from "../../sdk/src/verify/facts.ts";
import { proofVerdict } from "../../sdk/src/verify/verdict.ts";
import { verifyToken } from "../../sdk/src/verify-token.ts";
import { TOKEN_STANDARDS } from "../../server/src/launchpad/meteora/config-terms.ts";
import { liquidityPoolAddress } from "../../server/src/launchpad/meteora/liquidity-reader.ts";
import {
  openMarket,
  programFor,
  SOL,
  type TestLaunchpad,
} from "../../server/src/launchpad/meteora/testing/launchpad.ts";
import {
  giveCreator,
  givePositions,
  heldPosition,
  openLockedPosition,
} from "../../server/src/launchpad/meteora/testing/positions.ts";
import {
  describeMeteora,
  ON_CHAIN_MS,
} from "../../server/src/launchpad/meteora/testing/programs.ts";
import { meteoraClients } from "../../server/src/launchpad/meteora/testing/sdk.ts";
import { send } from "../../server/src/launchpad/meteora/testing/send.ts";
import {
  type OwnedToken,
  traded,
  tradedAfterMigration,
  untraded,
} from "../../server/src/launchpad/meteora/testing/trades.ts";
import { createRpcHandler } from "../../server/src/localnet/rpc/handler.ts";

import { type Account, DOCUMENT, type Forgery, forgingFetch, NODE } from "./forging-node.ts";

setDefaultTimeout(ON_CHAIN_MS);

const stranger = Keypair.generate().publicKey;

describeMeteora("a token is verified from the chain alone", () => {
  describe.each(TOKEN_STANDARDS)("of the standard %s", (tokenStandard) => {
    const isSpl = tokenStandard === "spl";
    let launchpad: TestLaunchpad;
    let trader: Keypair;
    let onCurve: OwnedToken;
    let migrated: OwnedToken;
    let requests: string[];

    beforeAll(async () => {
      const market = await openMarket({ tokenStandard, creatorShare: 70, feeBps: 250 });
      ({ launchpad, trader } = market);
      onCurve = await traded(launchpad, trader);
      migrated = await tradedAfterMigration(launchpad, trader);
    });

    const liquidityPool = () =>
      liquidityPoolAddress(MigrationFeeOption.Customizable, migrated.token.mint);

    function fetchOf(forgery: Forgery): FetchLike {
      requests = [];
      return forgingFetch(launchpad.cluster.chain, forgery, requests);
    }

    function proofOf(
      { token }: OwnedToken,
      forgery: Forgery = {},
      options: Partial<VerifyOptions> = {},
    ): Promise<TokenProof> {
      const fetch = fetchOf(forgery);
      return verifyToken(token.mint.toBase58(), { rpcUrl: NODE, fetch, ...options });
    }

    const named = ({ facts }: TokenProof, name: FactName) =>
      facts.find((fact) => fact.name === name);

    test("on its curve", async () => {
      const { token, agent } = onCurve;
      const proof = await proofOf(onCurve);
      const partner = launchpad.launchWallet.publicKey;
      const fees =
        "of each trade; of what the protocol leaves, the creator gets 70 % and the partner 30 %";
      const name = `"Agent Coin" (AGENT), ${isSpl ? "SPL Token" : "Token-2022"}, 6 decimals`;
      expect(proof).toMatchObject({
        tokenMint: token.mint.toBase58(),
        name: "Agent Coin",
        symbol: "AGENT",
        passed: true,
        poolAddress: token.pool.toBase58(),
        config: launchpad.config.toBase58(),
        creator: agent.publicKey.toBase58(),
        liquidityPoolAddress: null,
        metadataSha256: new Bun.CryptoHasher("sha256")
          .update(JSON.stringify(DOCUMENT))
          .digest("hex"),
      });
      expect(proof.facts.map(({ name, verdict, text }) => [name, verdict, text])).toEqual([
        ["token", "safe", name],
        ["mint_authority", "safe", "none: no more tokens can be made"],
        ["freeze_authority", "safe", "none: no account can be frozen"],
        ...(isSpl
          ? []
          : [["extensions", "safe", "none that has power over accounts or transfers"]]),
        ["update_authority", "safe", "none: name, symbol and document address never change"],
        ["token_authority", "safe", "under its config no wallet may change or make tokens"],
        [
          "metadata",
          "safe",
          expect.stringMatching(
            /^https:\/\/tokens\.example\/metadata\/.*json: its name and symbol are those on chain; SHA-256 [0-9a-f]{64}$/,
          ),
        ],
        ["pool", "safe", `on the bonding curve ${token.pool}, against SOL`],
        ["quote", "safe", "SOL"],
        ["creator", "safe", agent.publicKey.toBase58()],
        ["config", "safe", launchpad.config.toBase58()],
        [
          "curve",
          "costs",
          "sells 75.97 % of all tokens for 72.075922005 SOL, at a price that rises to 9.99 times the first; its first tenth of the SOL buys 19.75 % of all tokens",
        ],
        ["curve_fees", "costs", `2.5 % ${fees}`],
        ["first_buy", "safe", "pays the same fee as every other"],
        ["pool_fees", "costs", `2.5 % ${fees}`],
        ["creation_fee", "safe", "none"],
        [
          "migration_fee",
          "costs",
          "0.2 % of the SOL raised is not put into the pool: 0.2 % of the liquidity for the protocol",
        ],
        ["surplus", "safe", "none"],
        ["vesting", "safe", "none: all tokens are bought"],
        ["leftover", "safe", expect.stringMatching(/^none: |^0 % of all tokens/)],
        [
          "locked_liquidity",
          "safe",
          `100 % of the liquidity will be locked permanently at migration: 70 % for the creator, 30 % for the partner ${partner}`,
        ],
        [
          "supply",
          "safe",
          expect.stringMatching(
            /^1,000,000,000 tokens: the curve holds [\d.]+ %, others hold [\d.]+ %$/,
          ),
        ],
      ]);
      expect(proofVerdict(proof)).toBe(
        `Passes: 4 with a cost, ${isSpl ? 17 : 18} safe; the largest costs 19.75 % of all tokens for the first tenth of the SOL.`,
      );
    });

    test("after migration, with who holds which part of the liquidity", async () => {
      const proof = await proofOf(migrated);
      expect(proof).toMatchObject({
        passed: true,
        liquidityPoolAddress: liquidityPool().toBase58(),
      });
      const locked = named(proof, "locked_liquidity");
      expect(locked?.verdict).toBe("safe");
      expect(locked?.text).toStartWith("100 % of the liquidity is locked permanently: ");
      expect(locked?.text).toContain(`70 % for the creator ${migrated.agent.publicKey}`);
      expect(locked?.text).toContain(`30 % for the partner ${launchpad.launchWallet.publicKey}`);
      expect(named(proof, "delegates")?.verdict).toBe("safe");
      expect(named(proof, "supply")?.text).toMatch(/the DAMM v2 pool holds 21\.\d+ %/);
    });

    describe("reports a forged account", () => {
      const put =
        (at: number, ...bytes: number[]) =>
        ({ data }: Account) => {
          Buffer.from(bytes).copy(data, at);
        };
      const address = (at: number, key = stranger) => put(at, ...key.toBytes());

      const foreign = (it: Account) => {
        it.owner = String(stranger);
      };
      const cut =
        (length: number, more = 0) =>
        (it: Account) => {
          it.data = Buffer.concat([it.data.subarray(0, length), Buffer.alloc(more, 7)]);
        };

      type Forged = "mint" | "pool" | "config" | "vault" | "liquidity pool";
      type Changes = readonly ((account: Account) => void)[];

      const forge = (what: Forged, ...changes: Changes) => {
        const { pool, mint } = onCurve.token;
        const vault = PublicKey.findProgramAddressSync(
          [Buffer.from("token_vault"), mint.toBuffer(), pool.toBuffer()],
          new PublicKey("dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN"),
        )[0];
        const { config } = launchpad;
        const at = { mint, pool, config, vault, "liquidity pool": liquidityPool() }[what];
        const change = (it: Account) => {
          for (const one of changes) one(it);
        };
        const of = what === "liquidity pool" ? migrated : onCurve;
        return { of, accounts: { [String(at)]: change } };
      };

      /** Which account, what is forged of it, the one fact that then fails, and how. */
      const forgeries: readonly (readonly [Forged, string, FactName, Changes])[] = [
        ["mint", "with an authority", "mint_authority", [put(0, 1), address(4)]],
        ["mint", "that can freeze", "freeze_authority", [put(46, 1), address(50)]],
        ["mint", "of another program", "token", [foreign]],
        ["mint", "that is too long", "token", [cut(82, 300)]],
        ["mint", "that is not initialized", "token", [put(45, 0)]],
        ["pool", "of another program", "pool", [foreign]],
        ["pool", "of the wrong kind", "pool", [put(0, 237, 219, 184, 23, 42, 189, 169, 35)]],
        ["pool", "that is too short", "pool", [cut(423)]],
        ["pool", "of another config", "pool", [address(72)]],
        ["config", "of another program", "pool", [foreign]],
        ["config", "of the wrong kind", "pool", [put(0, 9)]],
        ["config", "of a later version", "config", [put(236, 2)]],
        ["config", "that leaves liquidity to the creator", "locked_liquidity", [put(241, 60, 10)]],
        ["config", "that vests the partner's liquidity", "locked_liquidity", [put(239, 20)]],
        ["config", "that migrates elsewhere", "locked_liquidity", [put(233, 0)]],
        ["vault", "of another owner", "supply", [address(32)]],
        ["vault", "with more tokens than there are", "supply", [put(71, 1)]],
        ["liquidity pool", "of another token", "locked_liquidity", [address(168)]],
        ["liquidity pool", "of the wrong kind", "locked_liquidity", [put(0, 9)]],
        ["liquidity pool", "of a later layout", "locked_liquidity", [put(696, 2)]],
        ["liquidity pool", "with too much locked", "locked_liquidity", [put(552, 0xff)]],
      ];
      const ofStandard = forgeries.filter(([what]) => isSpl || what === "mint");
      test.each(ofStandard)("a %s %s", async (what, _, failing, changes) => {
        const { of, accounts } = forge(what, ...changes);
        const proof = await proofOf(of, { accounts });
        expect(proof.passed).toBe(false);
        const failed = proof.facts.filter(({ passes }) => !passes);
        expect(failed.map(({ name }) => name)).toEqual([failing]);
      });

      if (isSpl) {
        test("a position that is missing in the node's answer", async () => {
          const { address: position } = await heldPosition(
            launchpad.cluster.connection,
            migrated.agent.publicKey,
          );
          const proof = await proofOf(migrated, { finds: (at) => at !== String(position) });
          expect(named(proof, "locked_liquidity")).toMatchObject({
            verdict: "unknown",
            text: "unknown: the positions that the node shows do not add up to the pool",
          });
        });

        test("liquidity that can be withdrawn", async () => {
          const { address: position } = await heldPosition(
            launchpad.cluster.connection,
            migrated.agent.publicKey,
          );
          let unlocked = 0n;
          const u128 = (data: Buffer, at: number) =>
            data.readBigUInt64LE(at) + (data.readBigUInt64LE(at + 8) << 64n);
          const write = (data: Buffer, at: number, value: bigint) => {
            data.writeBigUInt64LE(value & (2n ** 64n - 1n), at);
            data.writeBigUInt64LE(value >> 64n, at + 8);
          };
          // As if the config had let the creator withdraw its part. The pool is read a second time, because its
          // sums differ at first.
          const forge = (plan: number[]) => ({
            [String(launchpad.config)]: put(239, ...plan),
            [String(position)]: ({ data }: Account) => {
              unlocked = u128(data, 184);
              write(data, 152, unlocked + u128(data, 152));
              write(data, 184, 0n);
            },
            [String(liquidityPool())]: ({ data }: Account) =>
              write(data, 552, u128(data, 552) - unlocked),
          });
          const proof = await proofOf(migrated, { accounts: forge([30, 0, 0, 70]) });
          expect(named(proof, "locked_liquidity")).toMatchObject({
            verdict: "costs",
            text: expect.stringContaining(
              `70 % that can be withdrawn for the creator ${migrated.agent.publicKey}`,
            ),
          });
        });

        test("metadata that can change, or is of another token", async () => {
          const program = new PublicKey("metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s");
          const seeds = [
            Buffer.from("metadata"),
            program.toBuffer(),
            onCurve.token.mint.toBuffer(),
          ];
          const metadata = String(PublicKey.findProgramAddressSync(seeds, program)[0]);
          const text = async (change: (account: Account) => void) => {
            const proof = await proofOf(onCurve, { accounts: { [metadata]: change } });
            expect(proof.passed).toBe(false);
            return named(proof, "update_authority")?.text;
          };
          const isMutable = ({ data }: Account) => {
            // Behind three texts, the fee and the creators.
            let at = 65;
            for (let i = 0; i < 3; i++) at += 4 + data.readUInt32LE(at);
            at += 2;
            at += data[at] === 1 ? 5 + 34 * data.readUInt32LE(at + 1) : 1;
            data[at + 1] = 1;
          };
          expect(await text(isMutable)).toMatch(/^\w{32,44} may change name, symbol and document/);
          expect(await text(address(33))).toContain("unknown");
          expect(await text(put(0, 5))).toContain(
            "an account of program metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s",
          );
          expect(
            await text((it) => {
              it.data = it.data.subarray(0, 60);
            }),
          ).toContain("unknown");
        });
      } else {
        const extensionAt = (data: Buffer, wanted: number) => {
          for (let at = 166; at < data.length; at += 4 + data.readUInt16LE(at + 2)) {
            if (data.readUInt16LE(at) === wanted) return at + 4;
          }
          throw new Error(`there is no extension ${wanted}`);
        };
        test.each<[string, (data: Buffer) => Buffer, FactName, RegExp]>([
          [
            "another extension",
            (data) => Buffer.concat([data, Buffer.from([12, 0, 32, 0]), stranger.toBuffer()]),
            "extensions",
            /^PermanentDelegate$/,
          ],
          [
            "an unknown extension",
            (data) => Buffer.concat([data, Buffer.from([99, 0, 0, 0])]),
            "extensions",
            /^unknown \(99\)$/,
          ],
          [
            "an extension that is cut off",
            (data) => Buffer.concat([data, Buffer.from([12, 0, 32, 0, 1])]),
            "extensions",
            /^unreadable$/,
          ],
          [
            "an update authority",
            (data) => {
              stranger.toBuffer().copy(data, extensionAt(data, 19));
              return data;
            },
            "update_authority",
            /may change name/,
          ],
          [
            "an authority over the pointer",
            (data) => {
              stranger.toBuffer().copy(data, extensionAt(data, 18));
              return data;
            },
            "update_authority",
            /may change name/,
          ],
          [
            "a pointer elsewhere",
            (data) => {
              stranger.toBuffer().copy(data, extensionAt(data, 18) + 32);
              return data;
            },
            "update_authority",
            /^unknown: the metadata is at/,
          ],
        ])("%s", async (_, change, name, text) => {
          const { accounts, of } = forge("mint", (it) => {
            it.data = change(it.data);
          });
          const proof = await proofOf(of, { accounts });
          expect(named(proof, name)).toMatchObject({
            passes: false,
            text: expect.stringMatching(text),
          });
        });
      }
    });

    // The rest depends on no token standard.
    if (!isSpl) return;

    test("with few requests: to the node, and one for the document", async () => {
      await proofOf(migrated);
      const document = requests.filter((one) => one.startsWith("GET https://tokens.example/"));
      expect(document).toHaveLength(1);
      const methods = requests.filter((one) => !one.startsWith("GET "));
      expect(new Set(methods)).toEqual(new Set(["getMultipleAccounts", "getProgramAccounts"]));
      expect(methods.length).toBeLessThan(9);
      // A pool that is named, or follows from the config, needs no search.
      for (const known of [
        { pool: String(onCurve.token.pool) },
        { config: String(launchpad.config) },
      ]) {
        expect((await proofOf(onCurve, {}, known)).passed).toBe(true);
        expect(requests).not.toContain("getProgramAccounts");
      }
    });

    test("and passes or fails as the caller expects creator and config", async () => {
      const expectations = (wallet: PublicKey, config: PublicKey) => ({
        creator: wallet.toBase58(),
        config: config.toBase58(),
        pool: String(migrated.token.pool),
      });
      const right = expectations(migrated.agent.publicKey, launchpad.config);
      const proof = await proofOf(migrated, {}, right);
      expect(proof.passed).toBe(true);
      expect(named(proof, "creator")?.verdict).toBe("safe");
      expect(named(proof, "config")?.verdict).toBe("safe");
      const other = await proofOf(migrated, {}, expectations(stranger, stranger));
      expect(other.passed).toBe(false);
      expect(named(other, "creator")).toMatchObject({
        verdict: "wrong",
        text: expect.stringContaining(`${migrated.agent.publicKey}, not ${stranger}`),
      });
      expect(named(other, "config")?.verdict).toBe("wrong");
    });

    describe("and its document", () => {
      const documentFact = async (response: () => Response) => {
        const proof = await proofOf(onCurve, { document: response });
        const { verdict, text } = named(proof, "metadata") ?? {};
        return { verdict, text: text?.replace(/^https:\S+: /, "") };
      };
      const redirect = (location: string) => () =>
        new Response(null, { status: 302, headers: { location } });

      test.each<[string, () => Response, "wrong" | "safe", string]>([
        [
          "has another symbol",
          () => Response.json({ ...DOCUMENT, symbol: "USDC" }),
          "wrong",
          'its name and symbol are ["Agent Coin","USDC"], on chain ["Agent Coin","AGENT"]',
        ],
        [
          "has another name",
          () => Response.json({ ...DOCUMENT, name: "Long" }),
          "wrong",
          'its name and symbol are ["Long","AGENT"], on chain ["Agent Coin","AGENT"]',
        ],
        [
          "is not JSON",
          () => new Response("<html>"),
          "wrong",
          "its name and symbol are [null,null]",
        ],
        ["is missing", () => new Response("", { status: 404 }), "wrong", "its server answers 404"],
        ["is too long", () => new Response("x".repeat(300_000)), "wrong", "larger than 0.25 MiB"],
        [
          "is compressed",
          () => new Response("x", { headers: { "content-encoding": "gzip" } }),
          "wrong",
          "is compressed",
        ],
        [
          "is elsewhere without https",
          redirect("http://127.0.0.1/x"),
          "wrong",
          "redirects to an address that is not https",
        ],
        [
          "is always elsewhere",
          redirect("https://a.example/x"),
          "wrong",
          "redirects more than 3 times",
        ],
      ])("%s", async (_, response, verdict, text) => {
        expect(await documentFact(response)).toMatchObject({
          verdict,
          text: expect.stringContaining(text),
        });
      });

      test("may not be read from a redirect to an address that the caller does not allow", async () => {
        const forgery = { document: redirect("https://inner.example/x") };
        const mayRead = (url: string) => url.startsWith("https://tokens.example/");
        const proof = await proofOf(onCurve, forgery, { mayRead });
        expect(named(proof, "metadata")).toMatchObject({
          verdict: "wrong",
          text: expect.stringContaining("redirects to an address that may not be read"),
        });
        expect(requests).not.toContain("GET https://inner.example/x");
      });
    });

    test("within a time, whatever the node does", async () => {
      const mint = String(onCurve.token.mint);
      const drip = () => new ReadableStream({ pull: () => new Promise(() => {}) });
      const silent: FetchLike = (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      const dripping = async () => {
        using node = Bun.serve({
          hostname: "127.0.0.1",
          port: 0,
          fetch: () => new Response(drip()),
        });
        return await verifyToken(mint, { rpcUrl: node.url.href, timeoutMs: 50 });
      };
      await expect(
        verifyToken(mint, { rpcUrl: NODE, timeoutMs: 50, fetch: silent }),
      ).rejects.toThrow(`The verification of ${mint} was not answered within 0.05 s`);
      await expect(dripping()).rejects.toBeInstanceOf(TimeoutError);
    });

    test("names what it is not", async () => {
      const verify = (mint: PublicKey) =>
        verifyToken(String(mint), { rpcUrl: NODE, fetch: fetchOf({}) });
      const nothing = await verify(stranger);
      expect(nothing).toMatchObject({
        passed: false,
        facts: [{ name: "token", text: "there is no such account" }],
      });
      const wallet = await verify(onCurve.agent.publicKey);
      expect(wallet.facts[0]?.text).toBe(
        "an account of program 11111111111111111111111111111111, not a mint",
      );
      const nft = (await heldPosition(launchpad.cluster.connection, migrated.agent.publicKey))
        .nftMint;
      const other = await verify(nft);
      expect(named(other, "pool")).toEqual({
        name: "pool",
        verdict: "unknown",
        passes: false,
        cost: null,
        text: "unknown: no bonding curve of Dynamic Bonding Curve has this token: this node is a sandbox's, whose tokens are on no cluster",
      });
    });

    describe("by tokenctl", () => {
      let node: Bun.Server<undefined>;
      let mint: string;
      beforeAll(async () => {
        const { cluster, launchWallet, config } = launchpad;
        const handle = createRpcHandler(cluster.chain);
        node = Bun.serve({
          hostname: "127.0.0.1",
          port: 0,
          fetch: (request) =>
            request.method === "GET" ? Response.json(DOCUMENT) : handle(request),
        });
        const program = programFor(cluster, launchWallet, config, node.url.origin);
        mint = String((await untraded({ ...launchpad, program })).token.mint);
      });
      afterAll(() => node.stop(true));

      const verify = (flags: string[] = [], columns?: number) =>
        run(["verify", mint, "--rpc-url", node.url.href, ...flags], columns ? { columns } : {});

      test("which prints a line for each fact and ends with 0", async () => {
        const { stdout, stderr, exitCode } = await verify();
        expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
        expect(stdout).toStartWith(`Mint              ${mint}\n`);
        expect(stdout).toContain("\nMint authority    safe: none: no more tokens can be made\n");
        expect(stdout).toContain("\nMetadata          safe: http://127.0.0.1:");
        expect(stdout).toContain(
          "\nCurve fees        costs 2.5 % of a trade on the curve, limit 10: 2.5 % of each trade; ",
        );
      });
    });

    test("and shows a delegate of a position, and a new holder after a hand-over", async () => {
      const { connection } = launchpad.cluster;
      const { agent, token } = migrated;
      const { nftAccount } = await heldPosition(connection, agent.publicKey);
      const delegate = createApproveInstruction(
        nftAccount,
        stranger,
        agent.publicKey,
        1,
        [],
        TOKEN_2022_PROGRAM_ID,
      );
      await send(connection, [delegate], [agent]);
      const delegated = await proofOf(migrated);
      expect(delegated.passed).toBe(false);
      expect(named(delegated, "delegates")?.text).toBe(
        `${stranger} may move the position of ${agent.publicKey}`,
      );

      const newCreator = launchpad.cluster.wallet(SOL).publicKey;
      await giveCreator(connection, token.pool, agent, newCreator);
      const half = await proofOf(migrated);
      expect(named(half, "creator")?.text).toStartWith(
        `${newCreator}; it holds no large locked position`,
      );
      const clients = meteoraClients(connection);
      const { liquidity } = await clients.liquidity.fetchPoolState(liquidityPool());
      const small = liquidity.bitLength() - 5;
      await openLockedPosition(connection, trader, token.mint, small);
      await givePositions(connection, trader, newCreator);
      const little = await proofOf(migrated, {}, { creator: newCreator.toBase58() });
      expect(named(little, "creator")?.verdict).toBe("wrong");
      await givePositions(connection, agent, newCreator);
      const given = await proofOf(migrated, {}, { creator: newCreator.toBase58() });
      expect(given.passed).toBe(true);
      const holds = ` % for the creator ${newCreator}`;
      expect(named(given, "locked_liquidity")?.text).toContain(holds);
    });
  });
});

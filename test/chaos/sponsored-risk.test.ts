import { beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { getAssociatedTokenAddressSync, NATIVE_MINT, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import {
  type Connection,
  type Keypair,
  SystemProgram,
  VersionedTransaction,
} from "@solana/web3.js";
import { createLog } from "../../server/src/base/log.ts";
import { ServiceError } from "../../server/src/base/service-error.ts";
import { BLOCKHASH_VALID_BLOCKS } from "../../server/src/domain/cluster-pace.ts";
import { chainLaunchpad } from "../../server/src/launchpad/chain/chain-launchpad.ts";
import { chainContext } from "../../server/src/launchpad/chain/context.ts";
import { SOL, WIDE_LIMITS } from "../../server/src/launchpad/chain/testing/test-launchpad.ts";
import {
  openCluster,
  type TimedCluster,
} from "../../server/src/launchpad/meteora/testing/cluster.ts";
import { buy } from "../../server/src/launchpad/meteora/testing/curve-trades.ts";
import {
  openLaunchpad,
  type TestLaunchpad,
  type TestToken,
} from "../../server/src/launchpad/meteora/testing/launchpad.ts";
import {
  describeMeteora,
  ON_CHAIN_MS,
} from "../../server/src/launchpad/meteora/testing/programs.ts";
import { traded } from "../../server/src/launchpad/meteora/testing/token-life.ts";
import { signing as signingOf } from "../../server/src/launchpad/signing/signing.ts";
import { ClaimService, MAX_SPONSORED_AT_RISK } from "../../server/src/modules/claims/service.ts";
import { SigningService } from "../../server/src/modules/signing/service.ts";
import { Submitter } from "../../server/src/modules/signing/submitter.ts";
import { keypairSigner } from "../../server/src/solana/wallet-signer.ts";
import type { Store } from "../../server/src/store/store.ts";
import { describeStore } from "../../server/src/store/testing/contract.ts";
import type { TestStore } from "../../server/src/store/testing/test-store.ts";

setDefaultTimeout(ON_CHAIN_MS);

const FEE = 10_000n;
const RACING = 12;
const ROUNDS = 4;
/** Blocks from the confirmed to the finalized one, and some more. */
const FINALITY_BLOCKS = 40;

const EMPTY = { lamports: 0n, owner: SystemProgram.programId };
const EXISTING = { lamports: 2_039_280n, owner: TOKEN_PROGRAM_ID, data: new Uint8Array(165) };

/** What happens to a claim that is sent: it lands, it fails on chain, or the request is lost. */
type Sending = "lands" | "fails" | "lost";

describeMeteora("a sponsor's risk", () => {
  describe.each([
    { slotMs: 400, rentPerByte: 6_960n },
    { slotMs: 200, rentPerByte: 696n },
  ])("with slots of $slotMs ms", ({ slotMs, rentPerByte }) => {
    let cluster: TimedCluster;
    let meteora: TestLaunchpad;
    let trader: Keypair;
    beforeAll(async () => {
      cluster = await openCluster({ slotMs, rentPerByte });
      meteora = await openLaunchpad(cluster);
      trader = cluster.wallet(5_000n * SOL);
    });
    describeStore("with its claims stored", (at) => {
      let stores: Store[];
      let servers: ClaimService[];
      let agent: Keypair;
      let token: TestToken;
      let sending: Sending;
      beforeEach(async () => {
        sending = "lands";
        stores = [at.store, await at.database.openAnother()];
        servers = stores.map(open);
        await pass(0);
        ({ agent, token } = await traded(meteora, trader));
        drain();
        await store(at);
      });

      const wallet = () => agent.publicKey.toBase58();
      const solAccount = () => getAssociatedTokenAddressSync(NATIVE_MINT, agent.publicKey);
      /** The agent holds nothing again, and has earned new fees. */
      async function again() {
        cluster.chain.setAccount(solAccount(), EMPTY);
        drain();
        await buy(cluster.connection, { pool: token.pool, trader }, 7_000_000_000n);
      }
      const drain = () => cluster.chain.setAccount(agent.publicKey, EMPTY);
      const sponsorHolds = () => cluster.chain.getBalance(meteora.launchWallet.publicKey);
      /** Lets time pass on the chain and in the database. */
      async function pass(blocks: number) {
        cluster.clock.advance(blocks * slotMs);
        await at.advance(blocks * slotMs);
        // On PostgreSQL a server learns the time from the database.
        for (const store of stores) await store.ping();
      }

      /** The claims of one server, with a launchpad of its own on the same cluster. */
      function open(store: Store): ClaimService {
        const { launchWallet, program } = meteora;
        const context = chainContext({
          connection: sendingAs(cluster.connection),
          wallet: keypairSigner(launchWallet),
          program,
          clock: cluster.clock,
          limits: WIDE_LIMITS,
          feeCaps: WIDE_LIMITS,
          confirmer: {
            async pause() {
              cluster.clock.advance(slotMs);
              await new Promise((resolve) => setImmediate(resolve));
            },
          },
        });
        const log = createLog("silent");
        const chain = { ...chainLaunchpad(context), ...signingOf(context) };
        const submitter = new Submitter({ store, chain, log });
        const signing = new SigningService({ store, chain, submitter });
        return new ClaimService({ store, chain, signing, sponsorsClaims: true });
      }

      function sendingAs(connection: Connection): Connection {
        const sendRawTransaction: Connection["sendRawTransaction"] = async (bytes, options) => {
          if (sending === "lost") throw new Error("the request was lost");
          if (sending === "lands") return connection.sendRawTransaction(bytes, options);
          // The claim makes this account itself, so now it fails. No preflight finds that out.
          cluster.chain.setAccount(solAccount(), EXISTING);
          return connection.sendRawTransaction(bytes, { ...options, skipPreflight: true });
        };
        return Object.assign(Object.create(connection) as Connection, { sendRawTransaction });
      }

      async function store({ launches, take }: TestStore) {
        const { eventId: _, ...launch } = await take.call(at, "RISK", "lease", {
          wallet: wallet(),
        });
        await launches.succeed({ ...launch, eventId: _ }, { leaseId: "lease" }, token.ref);
      }

      const mint = () => token.ref.tokenMint;

      /** Step 1. @returns the transaction with the agent's signature; an error's code if it is not sponsored */
      async function prepare(server = servers[0] as ClaimService) {
        const { transaction, sponsored } = await server.prepare(wallet(), [mint()]);
        expect(sponsored).toBe(true);
        const signed = VersionedTransaction.deserialize(Buffer.from(transaction, "base64"));
        signed.sign([agent]);
        return Buffer.from(signed.serialize()).toString("base64");
      }

      const codeOf = (error: unknown) =>
        error instanceof ServiceError ? error.wireCode : Promise.reject(error);

      /** Step 2. @returns the outcome: `paid`, or the error's code */
      const submit = (signed: string, server = servers[0] as ClaimService) =>
        server.submit(wallet(), [mint()], signed).then(() => "paid", codeOf);

      test("is three fees a day, however many claims of a wallet race and fail on chain", async () => {
        sending = "fails";
        const before = sponsorHolds();
        for (let round = 0; round < ROUNDS; round++) {
          const signed: string[] = [];
          for (let n = 0; n < RACING; n++) {
            const claim = await prepare(servers[n % 2]).catch(codeOf);
            if (claim === "insufficient_sol") break;
            signed.push(claim);
          }
          await Promise.all(signed.map((claim, n) => submit(claim, servers[n % 2])));
          // They expire too, but what failed on chain has cost its fee.
          await pass(BLOCKHASH_VALID_BLOCKS + FINALITY_BLOCKS);
          expect(before - sponsorHolds()).toBe(BigInt(MAX_SPONSORED_AT_RISK) * FEE);
          await again();
        }
        expect(await prepare().catch(codeOf)).toBe("insufficient_sol");
      });

      test("ends when a claim can no longer land, so slow signatures lock no wallet out", async () => {
        sending = "lost";
        const before = sponsorHolds();
        const signed: string[] = [];
        for (let n = 0; n <= MAX_SPONSORED_AT_RISK; n++) signed.push(await prepare(servers[n % 2]));
        const outcomes = await Promise.all(signed.map((claim) => submit(claim)));
        expect(outcomes).toEqual(signed.map(() => "claim_expired"));
        await pass(BLOCKHASH_VALID_BLOCKS + FINALITY_BLOCKS);
        sending = "lands";
        const [first = ""] = signed;
        expect(await submit(first)).toBe("claim_expired");
        expect(await submit(await prepare(servers[1]), servers[1])).toBe("paid");
        expect(sponsorHolds()).toBe(before);
      });
    });
  });
});

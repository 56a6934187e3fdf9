import { Database } from "bun:sqlite";
import { join } from "node:path";
import { Connection, type Keypair, PublicKey } from "@solana/web3.js";
import { TokenSchema } from "@tokenctl/shared/contract/token";
import { parseSol } from "@tokenctl/shared/sol";
import { type Clock, systemClock } from "../../server/src/base/clock.ts";
import { generateKeypair } from "../../server/src/base/native-keys.ts";
import { BLOCKHASH_VALID_BLOCKS } from "../../server/src/domain/cluster-pace.ts";
import {
  type ConfigTerms,
  DEFAULT_CONFIG_TERMS,
} from "../../server/src/launchpad/meteora/config-terms.ts";
import { createConfig } from "../../server/src/launchpad/meteora/create-config.ts";
import { writeMeteoraGenesis } from "../../server/src/launchpad/meteora/genesis.ts";
import { meteoraBinaries } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { send } from "../../server/src/launchpad/meteora/testing/send.ts";
import { buy } from "../../server/src/launchpad/meteora/testing/trades.ts";
import { LocalChain } from "../../server/src/localnet/chain.ts";
import { serveLocalnet } from "../../server/src/localnet/serve-rpc.ts";
import { SLOT_MS } from "../../server/src/localnet/slots.ts";
import { fastClock } from "../chaos/fast-clock.ts";
import { startNamedNode } from "../validator/node.ts";
import { type Agent, expectShape } from "./agent.ts";
import { writeKeypairFile } from "./cluster-settings.ts";
import { airdrop } from "./node.ts";
import { tempDir } from "./processes.ts";

/** A launch wallet, and the settings of a server that launches from it. */
export interface LaunchWallet {
  readonly keypair: Keypair;
  readonly publicKey: PublicKey;
  /** All settings but the RPC's URL. */
  readonly env: Readonly<Record<string, string>>;
}

/** Serves an embedded chain with Meteora's programs in this process. */
async function openNode(ledgerPath: string, clock: Clock) {
  const chain = LocalChain.open({ ledgerPath, clock, programs: meteoraBinaries });
  await writeMeteoraGenesis(chain);
  const served = serveLocalnet(chain, { port: 0 });
  return {
    url: served.url,
    async [Symbol.asyncDispose]() {
      await served.stop();
      chain.close();
    },
  };
}

/**
 * A cluster with Meteora's programs: an embedded chain, whose clock may run fast, or the real node
 * that `TEST_NODE` names.
 */
export class Cluster implements AsyncDisposable {
  readonly chain: Connection;
  readonly trader = generateKeypair();
  /** Milliseconds after which a blockhash has surely expired. */
  readonly expiryMs: number;
  #owned = new AsyncDisposableStack();
  #config = "";
  #wallets = 0;
  #purchases = 0n;

  private constructor(
    private readonly folder: string,
    readonly url: string,
    speed: number,
  ) {
    this.chain = new Connection(url, "confirmed");
    this.expiryMs = ((BLOCKHASH_VALID_BLOCKS + 5) * SLOT_MS) / speed;
  }

  /** @param speed how many times faster than ours the chain's clock runs */
  static async start(speed = 1): Promise<Cluster> {
    await using opened = new AsyncDisposableStack();
    const { path } = opened.use(tempDir());
    const { url } = opened.use(
      process.env.TEST_NODE
        ? await startNamedNode()
        : await openNode(join(path, "ledger.sqlite"), fastClock(speed)),
    );
    const cluster = new Cluster(path, url, speed);
    await airdrop(cluster.chain, cluster.trader.publicKey, 1e15);
    cluster.#config = await cluster.anotherConfig();
    cluster.#owned = opened.move();
    return cluster;
  }

  /** Makes another config to launch under. @returns its address */
  async anotherConfig(changed: Partial<ConfigTerms> = {}, partner = this.trader): Promise<string> {
    // Launches of SPL tokens all cost the same; Token-2022's mints pay for the length of their texts.
    const terms = { ...DEFAULT_CONFIG_TERMS, tokenStandard: "spl", ...changed } as const;
    const { config, instructions, signers } = createConfig(partner.publicKey, terms);
    await send(this.chain, instructions, [partner, ...signers]);
    return config.toBase58();
  }

  async launchWallet(lamports = 1e12): Promise<LaunchWallet> {
    const { path, keypair } = writeKeypairFile(this.folder, `launch-${this.#wallets++}.json`);
    const { publicKey } = keypair;
    if (lamports > 0) await airdrop(this.chain, publicKey, lamports);
    return {
      keypair,
      publicKey,
      env: {
        CHAIN: "solana",
        LAUNCH_KEYPAIR: path,
        DBC_CONFIG: this.#config,
        PUBLIC_URL: "https://tokens.example",
        MAX_DAILY_SPEND_SOL: "unlimited",
        // All agents of an experiment come from this machine.
        MAX_LAUNCHES_PER_ADDRESS: "0",
        NETWORK_SHARE: "0",
        MAX_QUEUE: "0",
      },
    };
  }

  /** Lets a trader buy a token, so that it earns fees, and gives its agent SOL for the claim. */
  async earn(agent: Agent, mint: string): Promise<void> {
    const { body } = await agent.get(`/api/v1/tokens/${mint}`);
    await this.earnIn(expectShape(TokenSchema, body).poolAddress, agent.keypair.publicKey);
  }

  /** Lets a trader buy in a pool, so that it earns fees, and gives its agent SOL for the claim. */
  async earnIn(pool: string, agent: PublicKey): Promise<void> {
    await airdrop(this.chain, agent, 1e9);
    // Each with another amount: two equal ones at one blockhash would be the same transaction.
    const amount = parseSol("1") + this.#purchases++;
    await buy(this.chain, { pool: new PublicKey(pool), trader: this.trader }, amount);
  }

  /** Starts a node that stays at the cluster's current state: its slot does not grow. @returns its URL */
  async staleNode(): Promise<string> {
    const copy = join(this.folder, `stale-${crypto.randomUUID()}.sqlite`);
    {
      using ledger = new Database(join(this.folder, "ledger.sqlite"), { readonly: true });
      ledger.run("vacuum into ?", [copy]);
    }
    // A clock before genesis keeps the chain at the highest slot that it has seen.
    const node = this.#owned.use(await openNode(copy, { ...systemClock, now: () => 0 }));
    return node.url;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned.disposeAsync();
  }
}

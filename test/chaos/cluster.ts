import { Database } from "bun:sqlite";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Connection, type Keypair, PublicKey } from "@solana/web3.js";
import { TokenSchema } from "@tokenctl/shared/contract/token";
import { parseSol } from "@tokenctl/shared/sol";
import { type Clock, systemClock } from "../../server/src/base/clock.ts";
import { generateKeypair } from "../../server/src/base/native-keys.ts";
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
import { BLOCKHASH_VALID_BLOCKS, SLOT_MS } from "../../server/src/localnet/slots.ts";
import { type Agent, expectShape } from "../support/agent.ts";
import { airdrop } from "../support/node.ts";
import { tempDir } from "../support/processes.ts";
import { startNamedNode } from "../validator/node.ts";
import { fastClock } from "./fast-clock.ts";

/** A launch wallet, and the settings of a server that launches from it. */
export interface LaunchWallet {
  readonly publicKey: PublicKey;
  /** All settings but the RPC's URL. */
  readonly env: Readonly<Record<string, string>>;
}

interface Node extends AsyncDisposable {
  readonly url: string;
}

/** Serves an embedded chain with Meteora's programs in this process. */
async function openNode(ledgerPath: string, clock: Clock): Promise<Node> {
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

/** An embedded chain with Meteora's programs, whose clock may run fast. */
export class Cluster implements AsyncDisposable {
  readonly chain: Connection;
  /** Milliseconds after which a blockhash has surely expired. */
  readonly expiryMs: number;
  readonly #folder: { readonly path: string } & Disposable;
  readonly #localnet: Node;
  readonly #config: PublicKey;
  readonly #trader: Keypair;
  readonly #staleNodes: Node[] = [];
  #wallets = 0;
  #purchases = 0n;

  private constructor(
    folder: { readonly path: string } & Disposable,
    localnet: Node,
    config: PublicKey,
    trader: Keypair,
    speed: number,
  ) {
    this.#folder = folder;
    this.#localnet = localnet;
    this.#config = config;
    this.#trader = trader;
    this.chain = new Connection(localnet.url, "confirmed");
    this.expiryMs = ((BLOCKHASH_VALID_BLOCKS + 5) * SLOT_MS) / speed;
  }

  /** @param speed how many times faster than ours the chain's clock runs */
  static async start(speed: number): Promise<Cluster> {
    const folder = tempDir();
    const localnet = process.env.TEST_NODE
      ? await startNamedNode()
      : await openNode(join(folder.path, "ledger.sqlite"), fastClock(speed));
    const chain = new Connection(localnet.url, "confirmed");
    const trader = generateKeypair();
    await airdrop(chain, trader.publicKey, 1e15);
    const config = await makeConfig(chain, trader);
    return new Cluster(folder, localnet, config, trader, speed);
  }

  get url(): string {
    return this.#localnet.url;
  }

  /** Makes another config to launch under. @returns its address */
  async anotherConfig(terms: Partial<ConfigTerms> = {}): Promise<string> {
    return (await makeConfig(this.chain, this.#trader, terms)).toBase58();
  }

  async launchWallet(lamports = 1e12): Promise<LaunchWallet> {
    const wallet = generateKeypair();
    const file = join(this.#folder.path, `launch-${this.#wallets++}.json`);
    writeFileSync(file, JSON.stringify([...wallet.secretKey]), { mode: 0o600 });
    if (lamports > 0) await airdrop(this.chain, wallet.publicKey, lamports);
    return {
      publicKey: wallet.publicKey,
      env: {
        CHAIN: "solana",
        LAUNCH_KEYPAIR: file,
        DBC_CONFIG: this.#config.toBase58(),
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
    await buy(this.chain, { pool: new PublicKey(pool), trader: this.#trader }, amount);
  }

  /** Starts a node that stays at the cluster's current state: its slot does not grow. @returns its URL */
  async staleNode(): Promise<string> {
    const copy = join(this.#folder.path, `stale-${this.#staleNodes.length}.sqlite`);
    {
      using ledger = new Database(join(this.#folder.path, "ledger.sqlite"), { readonly: true });
      ledger.run("vacuum into ?", [copy]);
    }
    // A clock before genesis keeps the chain at the highest slot that it has seen.
    const node = await openNode(copy, { ...systemClock, now: () => 0 });
    this.#staleNodes.push(node);
    return node.url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#staleNodes.map((node) => node[Symbol.asyncDispose]()));
    await this.#localnet[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}

/** Launches of SPL tokens all cost the same; a mint of Token-2022 pays for the length of its texts. */
async function makeConfig(
  chain: Connection,
  payer: Keypair,
  changed: Partial<ConfigTerms> = {},
): Promise<PublicKey> {
  const terms = { ...DEFAULT_CONFIG_TERMS, tokenStandard: "spl", ...changed } as const;
  const { config, instructions, signers } = createConfig(payer.publicKey, terms);
  await send(chain, instructions, [payer, ...signers]);
  return config;
}

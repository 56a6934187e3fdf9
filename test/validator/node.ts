import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Connection } from "@solana/web3.js";
import { writeAccounts } from "../../server/src/commands/localnet.ts";
import { programsFolder } from "../../server/src/localnet/programs.ts";
import { findProgram } from "../../server/src/testing/find-program.ts";

/** A tick is 6.25 ms (solana-clock `DEFAULT_TICKS_PER_SECOND`). */
const TICKS_PER_MS = 0.16;
/** Within this time a node answers, or does not start at all. */
const START_MS = 120_000;
const POLL_MS = 100;
/** About a hundred megabytes, or some minutes of a chain without work. */
const SHREDS = 10_000;

/** The program, or null: then its tests are skipped. */
export const VALIDATOR = findProgram("solana-test-validator");

export interface NodeOptions {
  /** The length of a slot, in milliseconds. Default: 400 */
  readonly slotMs?: number;
  /** Whether it finalizes by Alpenglow, and so at once. Default: false */
  readonly isAlpenglow?: boolean;
  /** How much of its ledger it keeps. Default: {@link SHREDS} */
  readonly shreds?: number;
}

/** The nodes that `TEST_NODE` names. */
const NODES: Readonly<Record<string, NodeOptions>> = {
  tower: {},
  "tower-200": { slotMs: 200 },
  alpenglow: { isAlpenglow: true },
  "alpenglow-200": { isAlpenglow: true, slotMs: 200 },
};

/** Starts the node that `TEST_NODE` names, by default one of Tower's finality and slots of 400 ms. */
export function startNamedNode(more: NodeOptions = {}): Promise<ValidatorNode> {
  const { TEST_NODE: name = "tower" } = process.env;
  const options = NODES[name];
  if (options === undefined) throw new Error(`TEST_NODE must be one of ${Object.keys(NODES)}`);
  return ValidatorNode.start({ ...options, ...more });
}

/** A real node with Meteora's programs and accounts, whose ledger ends with it. */
export class ValidatorNode implements AsyncDisposable {
  /** Reads and sends at `confirmed`. */
  readonly connection: Connection;
  /** Its latest slot before it was killed. Until it is there again, it does not know all that it has in its ledger. */
  killedAt = 0;
  #process: Bun.Subprocess | null = null;

  private constructor(
    readonly folder: string,
    readonly url: string,
    private readonly command: readonly string[],
  ) {
    this.connection = new Connection(url, "confirmed");
  }

  static async start({ slotMs = 400, isAlpenglow = false, shreds = SHREDS }: NodeOptions = {}) {
    const folder = mkdtempSync(join(tmpdir(), "validator-"));
    const accounts = await writeAccounts(join(folder, "accounts"), programsFolder(process.env));
    const [rpc = 0, , faucet, gossip, first = 0, ...ports] = await freePorts(40);
    const node = new ValidatorNode(folder, `http://127.0.0.1:${rpc}`, [
      VALIDATOR ?? "",
      "--quiet",
      ...["--ledger", join(folder, "ledger")],
      ...["--rpc-port", `${rpc}`],
      ...["--faucet-port", `${faucet}`],
      ...["--faucet-sol", "10000000"],
      ...["--gossip-port", `${gossip}`],
      ...["--dynamic-port-range", `${first}-${ports.at(-1)}`],
      ...["--ticks-per-slot", `${slotMs * TICKS_PER_MS}`],
      ...["--limit-ledger-size", `${shreds}`],
      ...(isAlpenglow ? ["--alpenglow"] : []),
      ...accounts.flatMap((argument) => argument.split(" ")),
    ]);
    try {
      await node.restart();
    } catch (error) {
      await node[Symbol.asyncDispose]();
      throw error;
    }
    return node;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** Kills it, as a crash would. It keeps its ledger. */
  async kill(): Promise<void> {
    this.killedAt = (await this.#slot()) ?? this.killedAt;
    this.#process?.kill("SIGKILL");
    await this.#process?.exited;
    this.#process = null;
  }

  /** Starts it on the ledger that it has, and waits until it makes blocks. */
  async restart(): Promise<void> {
    const child = Bun.spawn([...this.command], {
      cwd: this.folder,
      stdio: [
        "ignore",
        Bun.file(join(this.folder, "stdout")),
        Bun.file(join(this.folder, "stderr")),
      ],
    });
    this.#process = child;
    const before = await this.#slot();
    for (let waited = 0; waited < START_MS; waited += POLL_MS) {
      if (child.exitCode !== null) break;
      const slot = await this.#slot();
      if (slot !== null && slot > (before ?? 0)) return;
      await Bun.sleep(POLL_MS);
    }
    throw new Error(`solana-test-validator does not start:\n${this.#log()}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #slot(): Promise<number | null> {
    return this.connection.getSlot("confirmed").catch(() => null);
  }

  #log(): string {
    return ["stdout", "stderr"]
      .map((name) => readFileSync(join(this.folder, name), "utf8").slice(-2_000))
      .join("\n");
  }
}

/** Above those of `heldPort`, and below those that a system gives to programs which ask for any port. */
const FIRST_PORT = 32_000;
const LAST_PORT = 32_760;

/** @returns this many ports in a row that are free on the loopback, for TCP and UDP */
async function freePorts(count: number): Promise<number[]> {
  for (;;) {
    const first = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT - count));
    const ports = Array.from({ length: count }, (_, index) => first + index);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return ports;
  }
}

async function isFree(port: number): Promise<boolean> {
  const [tcp, udp] = [createServer(), createSocket("udp4")];
  try {
    udp.bind(port, "127.0.0.1");
    await once(udp, "listening");
    tcp.listen(port, "127.0.0.1");
    await once(tcp, "listening");
    return true;
  } catch {
    return false;
  } finally {
    udp.close();
    tcp.close();
  }
}

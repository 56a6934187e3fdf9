/**
 * The whole life of a token in one terminal: a server on the embedded chain, a new wallet, a
 * launch, trades, and the fees in that wallet. Run it with `bun run demo`; it leaves nothing behind.
 * `bun run demo --web` launches and trades, prints the address of its agent's page, and serves it until Ctrl-C.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Connection, PublicKey } from "@solana/web3.js";
import { parseSecretKey } from "@tokenctl/sdk";
import { formatSol } from "@tokenctl/shared/sol";
import bs58 from "bs58";
import { main } from "../cli/src/main.ts";
import { goDirectlyToLoopback } from "../cli/src/proxy.ts";
import { processWorld } from "../cli/src/world.ts";
import { buildConsole } from "../console/build.ts";

const root = join(import.meta.dir, "..");
const isWeb = process.argv.includes("--web");
if (isWeb) await buildConsole();
goDirectlyToLoopback(process.env);
const folder = mkdtempSync(join(tmpdir(), "tokenctl-demo-"));
const started = performance.now();

const server = Bun.spawn([process.execPath, join(root, "server/src/main.ts"), "serve"], {
  env: { ...process.env, CHAIN: "local", PORT: "0", DATA_DIR: join(folder, "data") },
  stdin: "ignore",
  stdout: "ignore",
  stderr: "pipe",
});

async function cleanUp(): Promise<void> {
  server.kill("SIGTERM");
  await server.exited;
  rmSync(folder, { recursive: true, force: true });
}

process.on("SIGINT", () => void cleanUp().then(() => process.exit(130)));

/** @returns the URL that the server logs once it listens */
async function listening(): Promise<string> {
  let log = "";
  for await (const chunk of server.stderr) {
    log += new TextDecoder().decode(chunk);
    const url = /"url":"(http[^"]+)"[^\n]*tokend listens/.exec(log)?.[1];
    if (url) return url;
  }
  throw new Error(`The server did not start:\n${log}`);
}

const bold = (text: string) => (process.stdout.isTTY ? `\x1b[1m${text}\x1b[22m` : text);
let step = 0;
const say = (text: string) => console.log(`\n${bold(`${++step}. ${text}`)}`);

const env: Record<string, string> = {
  ...(process.env as Record<string, string>),
  TOKENCTL_KEYPAIR: join(folder, "agent.json"),
};

/** Runs a command of `tokenctl` in this process, and shows its arguments and its output. */
async function tokenctl(...args: string[]): Promise<void> {
  console.log(`$ tokenctl ${args.map((arg) => (arg.includes(" ") ? `"${arg}"` : arg)).join(" ")}`);
  const exitCode = await main(args, { ...processWorld, env });
  if (exitCode !== 0) throw new Error(`tokenctl ended with ${exitCode}`);
}

try {
  say("Start a server on the embedded chain");
  const url = await listening();
  env.TOKENCTL_API_URL = url;
  console.log(`It listens at ${url}; its API is described at ${url}/openapi/json.`);
  await tokenctl("health");

  say("Make a wallet, and sign in with it");
  await tokenctl("keygen");
  await tokenctl("login");
  const key = parseSecretKey(readFileSync(env.TOKENCTL_KEYPAIR ?? "", "utf8"));
  const chain = new Connection(`${url}/dev/rpc`, "confirmed");
  const balance = async () => BigInt(await chain.getBalance(new PublicKey(key.subarray(32))));

  say("Put some SOL in the wallet, because a claim pays a network fee");
  await tokenctl("dev", "airdrop", "--sol", "0.1");

  say("Launch a token, and wait until it is on chain");
  await tokenctl("launch", "--name", "Demo Token", "--ticker", "DEMO", "--interval", "1");
  await tokenctl("tokens");

  say("Let others trade it");
  await tokenctl("dev", "trade", "DEMO", "--sol", "10");
  await tokenctl("dev", "trade", "DEMO", "--sol", "4", "--sell");

  say("See what that earned, and claim it");
  await tokenctl("fees");
  await claim();

  if (isWeb) await web(url);

  say("Let the token graduate from the bonding curve, and trade it in its pool");
  await tokenctl("dev", "graduate", "DEMO");
  await tokenctl("dev", "trade", "DEMO", "--sol", "5");

  say("Claim the fees of both kinds in one transaction");
  await tokenctl("fees");
  await claim();
  await tokenctl("token", "DEMO");

  /** Prints where the console shows this life, and waits for Ctrl-C. */
  async function web(server: string): Promise<never> {
    await tokenctl("dev", "trade", "DEMO", "--sol", "7");
    say("Look at it in a browser; Ctrl-C ends the demo");
    console.log(`${server}/a/${bs58.encode(key.subarray(32))}`);
    console.log(`The agent's keypair is ${env.TOKENCTL_KEYPAIR}.`);
    return new Promise(() => {});
  }

  async function claim(): Promise<void> {
    const before = await balance();
    console.log(`The wallet has ${formatSol(before)} SOL.`);
    await tokenctl("claim", "DEMO");
    const after = await balance();
    console.log(
      `The wallet has ${formatSol(after)} SOL: ${formatSol(after - before)} SOL more, ` +
        "the fees minus what the network took.",
    );
  }
} finally {
  await cleanUp();
}
console.log(
  `\nDone in ${((performance.now() - started) / 1000).toFixed(1)} s. It left nothing behind.`,
);

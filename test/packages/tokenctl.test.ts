import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { publint } from "publint";
import manifest from "../../cli/package.json" with { type: "json" };
import { openMcp } from "../../cli/src/mcp/testing/mcp-client.ts";
import { installBinaries } from "../support/binaries.ts";
import { npmInstall, pack } from "../support/packages.ts";
import { type CommandResult, ROOT, run, startTokend, tempDir } from "../support/processes.ts";
import { startTestServer } from "../support/test-server.ts";
import { installRuntimes, isWholeMatrix, type Runtimes } from "./runtimes.ts";

setDefaultTimeout(300_000);

const folder = tempDir();
const project = join(folder.path, "project");
const program = join(project, "node_modules/tokenctl/dist/tokenctl.js");
let runtimes: Runtimes;

const tarball = await pack("cli", folder.path);
await npmInstall(project, [tarball]);
if (isWholeMatrix) runtimes = await installRuntimes(join(folder.path, "runtimes"));
const server = isWholeMatrix
  ? await startTokend([(await installBinaries(folder.path)).tokend], folder.path)
  : await startTestServer({}, {}, Date.now());

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

test("npm installs tokenctl without any other package", async () => {
  const packages = (await readdir(join(project, "node_modules"))).filter((name) => name[0] !== ".");
  expect(packages).toEqual(["tokenctl"]);
  const installed = join(project, "node_modules/tokenctl");
  const files = ["LICENSE", "README.md", "dist", "package.json", "skills"];
  expect((await readdir(installed)).sort()).toEqual(files);
  const licence = (path: string) => Bun.file(join(path, "LICENSE")).text();
  expect(await licence(installed)).toBe(await licence(ROOT));
  expect(await readdir(join(installed, "skills/tokenctl"))).toContain("SKILL.md");
  const { messages } = await publint({
    pack: { tarball: await Bun.file(tarball).arrayBuffer() },
    strict: true,
  });
  expect(messages).toEqual([]);
});

test("the package uses nothing that only Bun has, and no path of the machine that built it", async () => {
  const dist = join(project, "node_modules/tokenctl/dist");
  for (const file of await readdir(dist, { recursive: true })) {
    if (!file.endsWith(".js")) continue;
    const code = await Bun.file(join(dist, file)).text();
    expect(code.match(/\bBun\.\w+|"bun:\w+"/g) ?? []).toEqual([]);
    expect(code).not.toContain(join(import.meta.dir, "../.."));
  }
});

test("npx runs the program that npm linked", async () => {
  const linked = join(project, "node_modules/.bin/tokenctl");
  expect(await run([linked, "--version"], folder.path)).toEqual({
    exitCode: 0,
    stdout: `${manifest.version}\n`,
    stderr: "",
  });
});

test("on Node a proxy of the environment gets what goes to other hosts, and nothing for this machine", async () => {
  const asked: string[] = [];
  await using server = await startTestServer({ PUBLIC_URL: "http://tokens.example" });
  const { port } = new URL(server.url);
  const proxy = createServer().on("connect", ({ url = "" }, client: Socket) => {
    asked.push(url);
    const onward = connect(Number(port), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      client.pipe(onward).pipe(client);
    });
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const env = { HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
  const health = (url: string) =>
    run(["node", program, "health", "--api-url", url], folder.path, env);
  expect(await health(server.url)).toMatchObject({ exitCode: 0 });
  expect(asked).toEqual([]);
  expect(await health("http://tokens.example")).toMatchObject({ exitCode: 0 });
  expect(asked).not.toBeEmpty();
  expect([...new Set(asked)]).toEqual(["tokens.example:80"]);
  proxy.close();
});

interface Stored {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

/**
 * What each client stores of the words of its line. Codex's and Gemini's own programs stored the same; the form of
 * Cursor's link is that of cursor.com/docs/mcp/install-links.
 */
const storedBy: Record<string, (words: readonly string[]) => Stored> = {
  "Claude Code": (words) => stored(words, words.slice(words.indexOf("--") + 1)),
  Codex: (words) => stored(words, words.slice(words.indexOf("--") + 1)),
  "Gemini CLI": (words) => stored(words, words.slice(words.indexOf("tokens") + 1)),
  "VS Code": (words) => JSON.parse(words.at(-1) ?? ""),
  Cursor: ([link = ""]) => JSON.parse(atob(new URL(link).searchParams.get("config") ?? "")),
};

function stored(words: readonly string[], [command = "", ...args]: readonly string[]): Stored {
  const [, name = "", value = ""] = /^(\w+)=(.*)$/m.exec(words.join("\n")) ?? [];
  return { command, args, env: { [name]: value } };
}

test("each configuration and line for a client in docs/mcp.md starts the server of the package", async () => {
  const page = await Bun.file(join(ROOT, "docs/mcp.md")).text();
  const servers: Stored[] = [];
  for (const [, json = ""] of page.matchAll(/^```json\n(\{\n {2}"mcpServers".*?)^```$/gms)) {
    servers.push(...Object.values<Stored>(JSON.parse(json).mcpServers));
  }
  for (const [client, read] of Object.entries(storedBy)) {
    const [, line = ""] = new RegExp(`^\\| ${client} \\| \`(.*)\` \\|$`, "m").exec(page) ?? [];
    const words = client === "Cursor" ? `'${line}'` : line;
    const { stdout } = await run(["sh", "-c", `printf '%s\\n' ${words}`], folder.path);
    servers.push(read(stdout.trim().split("\n")));
  }
  expect(servers).toHaveLength(7);
  const different = new Map(servers.map((one) => [JSON.stringify(one), one])).values();
  const HOME = join(folder.path, "home");
  const TOKENCTL_KEYPAIR = join(HOME, ".config/solana/id.json");
  const PATH = `${join(project, "node_modules/.bin")}:${process.env.PATH}`;
  await run([program, "keygen"], folder.path, { HOME, TOKENCTL_KEYPAIR });
  for (const { command, args, env } of different) {
    expect(env).toHaveProperty("TOKENCTL_API_URL");
    const client = new Client({ name: "test", version: "1" });
    // The addresses and paths are the reader's.
    const here = { ...env, HOME, PATH, TOKENCTL_KEYPAIR, TOKENCTL_API_URL: server.url };
    await client.connect(new StdioClientTransport({ command, args, env: here }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("get_health");
    await client.close();
  }
});

const everywhere: Record<string, [command: () => string, ticker: string]> = {
  "this machine's Node": [() => Bun.which("node") ?? "", "NODE"],
  Bun: [() => process.execPath, "BUN"],
  ...(isWholeMatrix && {
    "Node 20.19": [() => runtimes("node-20-19"), "N2019"],
    "Node 22": [() => runtimes("node-22"), "N22"],
    "Node 24": [() => runtimes("node-24"), "N24"],
  }),
};

describe("a token lives its whole life", () => {
  for (const [name, [runtime, ticker]] of Object.entries(everywhere)) {
    test(`on ${name}`, () => live(runtime(), ticker));
  }
});

async function live(runtime: string, ticker: string): Promise<void> {
  const settings = {
    TOKENCTL_API_URL: server.url,
    TOKENCTL_KEYPAIR: join(folder.path, ticker, "id.json"),
  };
  const tokenctl = (...args: string[]): Promise<CommandResult> =>
    run([runtime, program, ...args], folder.path, settings);
  const json = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await tokenctl(...args, "--json");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    return JSON.parse(stdout);
  };
  await json("keygen");
  await json("dev", "airdrop", "--sol", "1");
  const launch = await json("launch", "--name", "Terrier", "--ticker", ticker);
  expect(launch.status).toBe("success");
  await json("dev", "trade", launch.tokenMint, "--sol", "2");
  const { claimedSOL } = await json("claim", launch.tokenMint);
  expect(claimedSOL).toBeGreaterThan(0);
  expect((await tokenctl("tokens")).stdout).toContain(ticker);
  await using mcp = await openMcp([], {
    apiUrl: server.url,
    folder: join(folder.path, ticker),
    command: [runtime, program],
  });
  expect((await mcp.call("list_tokens")).data.tokens).toMatchObject([{ ticker }]);
  const again = await tokenctl("claim", launch.tokenMint);
  expect(again.exitCode).toBe(5);
  expect(again.stderr).toContain("hint: ");
}

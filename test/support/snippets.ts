import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateSecretKey } from "@tokenctl/sdk";
import type { Server } from "bun";
import { type McpConnection, openMcp } from "../../cli/src/mcp/testing/mcp-client.ts";
import { run as runHere, TOKENCTL } from "../../cli/src/testing/cli.ts";
import { ROOT, run, TOKEND } from "./processes.ts";

interface Snippet {
  /** `sh`, `ts`, `json`, or `inline` for a command within a sentence. */
  readonly language: string;
  readonly code: string;
}

/** @returns the text's blocks in their order, then its complete commands within sentences */
export function snippetsIn(text: string): Snippet[] {
  const blocks = Array.from(
    text.matchAll(/^```(\w*)\n(.*?)^```$/gms),
    ([, language = "", code = ""]) => ({ language, code }),
  );
  const prose = text.replace(/^```.*?^```$/gms, "");
  // `tokenctl claim <mint>` shows how a command is written, and is none.
  const commands = Array.from(prose.matchAll(/`(tokenctl \w[^`<]*)`/g), ([, code = ""]) => ({
    language: "inline",
    code: code.replaceAll("\n", " "),
  }));
  return [...blocks, ...commands];
}

/**
 * Runs the snippets of one text, one after another, as an agent that reads it would. Their commands and
 * their TypeScript run in this process, in the text's folder and environment: a start takes longer than its work.
 */
export class SnippetRunner implements AsyncDisposable {
  readonly #folder: string;
  readonly #apiUrl: string;
  readonly #before = { folder: process.cwd(), env: { ...process.env }, log: console.log };
  readonly #commands: Server<undefined>;
  #programs = 0;
  /** What a reader takes from the results: `$MINT`, `$EVENT_ID`, `$ID`. */
  readonly #values: Record<string, string> = {};
  readonly #receiver = generateSecretKey().publicKey;
  #mcp: McpConnection | null = null;

  /**
   * @param folder an empty one below the repository's root, where programs find its packages
   */
  constructor(folder: string, apiUrl: string) {
    this.#folder = folder;
    this.#apiUrl = apiUrl;
    this.#commands = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (it) => this.#command(it),
    });
    mkdirSync(join(folder, "bin"));
    writeFileSync(join(folder, "bin/tokenctl"), commandOf(this.#commands.port), { mode: 0o755 });
    process.chdir(folder);
    Object.assign(process.env, this.#env);
    console.log = () => {};
    const compilerOptions = { paths: { "@tokenctl/sdk": [join(ROOT, "sdk/src/index.ts")] } };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  }

  /** @throws if the snippet fails */
  async run({ language, code }: Snippet): Promise<void> {
    if (language === "sh") return this.#runShell(code);
    if (language === "inline") return this.#runShell(code, [0, 3, 4, 5, 6, 7]);
    if (language === "ts") return this.#runProgram(code);
    if (language === "json") return this.#runJson(code);
    throw new Error(`Nothing runs a snippet in ${language || "no language"}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { folder, env, log } = this.#before;
    process.chdir(folder);
    for (const name of Object.keys(this.#env)) delete process.env[name];
    Object.assign(process.env, env);
    console.log = log;
    await this.#commands.stop(true);
    await this.#mcp?.[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #env(): Record<string, string> {
    return {
      ...this.#values,
      PATH: `${this.#folder}/bin:${this.#before.env.PATH}`,
      TOKENCTL_API_URL: this.#apiUrl,
      TOKENCTL_KEYPAIR: join(this.#folder, "id.json"),
      RECEIVER: this.#receiver,
      XDG_CONFIG_HOME: this.#folder,
      XDG_STATE_HOME: this.#folder,
    };
  }

  /** @param allowed exit codes; a command of a sentence need not fit the moment, but its usage is right */
  async #runShell(code: string, allowed: readonly number[] = [0]): Promise<void> {
    const { exitCode, stdout, stderr } = await run(["sh", "-euc", code], this.#folder, this.#env);
    if (!allowed.includes(exitCode)) throw new Error(`${exitCode} after ${code}\n${stderr}`);
    const fields = Array.from(
      stdout.matchAll(/"(eventId|tokenMint|id)": ?"([^"]+)"/g),
      ([, name = "", value]) => [name, value] as const,
    );
    this.#learn(Object.fromEntries(fields));
  }

  /** Does what {@link commandOf} asks for. */
  async #command(request: Request): Promise<Response> {
    const args = (await request.text()).split("\0").slice(0, -1);
    const { exitCode, stdout, stderr } = await runHere(args, { env: this.#env });
    const { pathname } = new URL(request.url);
    writeFileSync(pathname, stdout);
    writeFileSync(`${pathname}.err`, stderr);
    return new Response(`${exitCode}`);
  }

  async #runProgram(code: string): Promise<void> {
    // Others import a snippet that begins with its file's name.
    const [, name = `snippet-${++this.#programs}.ts`] = /^\/\/ ([\w-]+\.ts)\n/.exec(code) ?? [];
    const file = join(this.#folder, name);
    writeFileSync(file, code);
    await import(file);
  }

  async #runJson(code: string): Promise<void> {
    const { mcpServers, name, arguments: input } = JSON.parse(this.#fill(code));
    if (mcpServers !== undefined) {
      const [{ command, args }] = Object.values(mcpServers) as [
        { command: string; args: string[] },
      ];
      if (command !== "tokenctl" || args[0] !== "mcp")
        throw new Error(`Unknown command ${command}`);
      await this.#mcp?.[Symbol.asyncDispose]();
      const onQuestion = () => ({ action: "accept" as const, content: { agree: true } });
      const at = { apiUrl: this.#apiUrl, folder: this.#folder };
      const options = { ...at, command: TOKENCTL, onQuestion };
      this.#mcp = await openMcp(args.slice(1), options);
      await this.#mcp.tools();
      return;
    }
    const answer = await this.#mcp?.call(name, input);
    if (answer === undefined || answer.isError) throw new Error(`${name}: ${answer?.text}`);
    this.#learn(answer.data);
  }

  #learn({ eventId, tokenMint, id }: Record<string, unknown>): void {
    for (const [name, value] of Object.entries({
      EVENT_ID: eventId,
      MINT: tokenMint,
      ID: id,
    })) {
      if (typeof value === "string") this.#values[name] = value;
    }
  }

  #fill(code: string): string {
    return code.replace(/\$([A-Z_]+)/g, (_, name: string) => this.#values[name] ?? `no ${name}`);
  }
}

/** A `tokenctl` that asks {@link SnippetRunner} for its output and exit code. `mcp` reads stdin: it starts the program. */
const commandOf = (port: number | undefined) => `#!/bin/sh
[ "$1" = mcp ] && exec ${TOKENCTL.join(" ")} "$@"
output=$(mktemp)
code=$(printf '%s\\0' "$@" | curl -s --data-binary @- "http://127.0.0.1:${port}$output")
cat "$output"; cat "$output.err" >&2
rm "$output" "$output.err"
exit "$code"
`;

/** Puts both programs into a folder; unless they are compiled, they run from the sources, which saves a build. */
export function installPrograms(folder: string): void {
  for (const [name, command] of Object.entries({ tokenctl: TOKENCTL, tokend: TOKEND })) {
    const script = `#!/bin/sh\nexec ${command.join(" ")} "$@"\n`;
    writeFileSync(join(folder, name), script, { mode: 0o755 });
  }
}

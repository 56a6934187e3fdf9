import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateSecretKey } from "@tokenctl/sdk";
import { type McpConnection, openMcp } from "../../cli/src/mcp/testing/mcp-client.ts";
import { TOKENCTL } from "../../cli/src/testing/cli.ts";
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

/** Runs the snippets of one text, one after another, as an agent that reads it would. */
export class SnippetRunner implements AsyncDisposable {
  readonly #folder: string;
  readonly #programs: string;
  readonly #apiUrl: string;
  /** What a reader takes from the results: `$MINT`, `$EVENT_ID`, `$ID`. */
  readonly #values: Record<string, string> = {};
  readonly #receiver = generateSecretKey().publicKey;
  #mcp: McpConnection | null = null;

  /**
   * @param folder an empty one below the repository's root, where programs find its packages
   * @param programs the folder of `tokenctl`
   */
  constructor(folder: string, programs: string, apiUrl: string) {
    this.#folder = folder;
    this.#programs = programs;
    this.#apiUrl = apiUrl;
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
    await this.#mcp?.[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #env(): Record<string, string> {
    return {
      ...this.#values,
      PATH: `${this.#programs}:${process.env.PATH}`,
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

  async #runProgram(code: string): Promise<void> {
    // Others import a snippet that begins with its file's name.
    const [, name = "snippet.ts"] = /^\/\/ ([\w-]+\.ts)\n/.exec(code) ?? [];
    const file = join(this.#folder, name);
    writeFileSync(file, code);
    const { exitCode, stderr } = await run([process.execPath, file], this.#folder, this.#env);
    if (exitCode !== 0) throw new Error(`The program failed:\n${stderr}`);
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
      const program = [join(this.#programs, command)];
      const onQuestion = () => ({ action: "accept" as const, content: { agree: true } });
      const at = { apiUrl: this.#apiUrl, folder: this.#folder };
      const options = { ...at, command: program, onQuestion };
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

/** Puts both programs into a folder; unless they are compiled, they run from the sources, which saves a build. */
export function installPrograms(folder: string): void {
  for (const [name, command] of Object.entries({ tokenctl: TOKENCTL, tokend: TOKEND })) {
    const script = `#!/bin/sh\nexec ${command.join(" ")} "$@"\n`;
    writeFileSync(join(folder, name), script, { mode: 0o755 });
  }
}

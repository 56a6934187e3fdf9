import { join } from "node:path";
import { Client, type ClientCapabilities, type ElicitResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { SHORT_LIVED } from "../../../../test/support/processes.ts";

/** Protocol versions: the newest, the one before it, and the one that has batches. */
export const PROTOCOLS = ["2026-07-28", "2025-11-25", "2025-03-26"] as const;

interface McpOptions {
  readonly apiUrl: string;
  /** A folder with the keypair file `id.json`, and with the state and configuration of `mcp`. */
  readonly folder: string;
  /** Default: the previous version, with which the client starts one process instead of two. */
  readonly protocol?: (typeof PROTOCOLS)[number];
  /** Answers the questions to the user. Without it, the client cannot ask. */
  readonly onQuestion?: (question: string) => ElicitResult;
  readonly command: readonly string[];
}

interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  /** The `code` of an error. */
  readonly code: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what its tool returns.
  readonly data: any;
}

export interface McpConnection extends AsyncDisposable {
  readonly client: Client;
  call(name: string, input?: Record<string, unknown>): Promise<ToolAnswer>;
  tools(): Promise<string[]>;
}

/** Starts `tokenctl mcp` with these arguments, and connects the official client to it. */
export async function openMcp(
  args: readonly string[],
  { apiUrl, folder, protocol = PROTOCOLS[1], onQuestion, command }: McpOptions,
): Promise<McpConnection> {
  const capabilities: ClientCapabilities = onQuestion ? { elicitation: { form: {} } } : {};
  const client = new Client(
    { name: "test", version: "1" },
    {
      capabilities,
      supportedProtocolVersions: [protocol],
      versionNegotiation: { mode: protocol === PROTOCOLS[0] ? { pin: protocol } : "legacy" },
    },
  );
  if (onQuestion) {
    client.setRequestHandler("elicitation/create", ({ params }) => onQuestion(params.message));
  }
  const [program = "", ...first] = command;
  const files = ["--api-url", apiUrl, "-k", join(folder, "id.json")];
  await client.connect(
    new StdioClientTransport({
      command: program,
      args: [...first, "mcp", ...files, ...args],
      env: {
        ...SHORT_LIVED,
        PATH: process.env.PATH ?? "",
        HOME: "/nonexistent",
        XDG_STATE_HOME: folder,
        XDG_CONFIG_HOME: folder,
      },
      stderr: "inherit",
    }),
  );
  return {
    client,
    async call(name, input = {}) {
      const {
        isError = false,
        content,
        structuredContent,
        _meta,
      } = await client.callTool({
        name,
        arguments: input,
      });
      const [first] = content;
      const text = first?.type === "text" ? first.text : "";
      return { isError, text, code: _meta?.code, data: structuredContent };
    },
    async tools() {
      const { tools } = await client.listTools();
      return tools.map(({ name }) => name);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { installBinaries } from "../../../test/support/binaries.ts";
import { ROOT } from "../../../test/support/processes.ts";
import { finish, temporaryFolder, temporaryWallet } from "../testing/cli.ts";
import { bridgeToHttp } from "./testing/http-bridge.ts";

/** The package has no entry but its program, which needs Node 22 or Bun. */
const CONFORMANCE = join(ROOT, "node_modules/@modelcontextprotocol/conformance/dist/index.js");

const folder = temporaryFolder();
let programs: { tokenctl: string };

beforeAll(async () => {
  programs = await installBinaries(folder.path);
}, 300_000);
afterAll(() => folder[Symbol.dispose]());

/**
 * The suite speaks HTTP only, so a bridge stands before stdin and stdout. Its other scenarios do not
 * apply: `tools-call-*`, `json-schema-2020-12`, `elicitation-*`, other `resources-*` and `prompts-*` call
 * tools, resources and prompts of its own example server by their names; `logging-set-level`,
 * `completion-complete` and `prompts-list` are of capabilities that this server does not declare; and
 * `server-sse-*` and `dns-rebinding-protection` are of HTTP.
 */
test.each(["server-initialize", "ping", "tools-list", "resources-list"])(
  "the conformance suite's scenario %s passes",
  async (scenario) => {
    using wallet = temporaryWallet();
    // No service is needed for these.
    const args = ["mcp", "--api-url", "http://127.0.0.1:1", "-k", wallet.keypair];
    await using bridge = bridgeToHttp([programs.tokenctl, ...args], {
      PATH: process.env.PATH ?? "",
      XDG_STATE_HOME: wallet.path,
    });
    const suite = ["server", "--url", bridge.url, "--scenario", scenario];
    const child = Bun.spawn([process.execPath, CONFORMANCE, ...suite], {
      cwd: wallet.path,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const { exitCode, stdout, stderr } = await finish(child);
    expect({ exitCode, output: stdout + stderr }).toMatchObject({ exitCode: 0 });
    expect(stdout).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
  },
);

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { heldPort } from "../../server/src/testing/held-port.ts";
import { Agent } from "../support/agent.ts";
import { openStream } from "../support/event-stream.ts";
import { ROOT, type ServerProcess, startProcess, tempFolder } from "../support/processes.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { findTool, type Tool } from "./tool.ts";

setDefaultTimeout(300_000);

const caddy = findTool("caddy");
const nginx = findTool("nginx");

/** The samples with another port and without TLS; everything else is as an operator copies it. */
const PROXIES: readonly [
  string,
  Tool,
  (folder: string, port: number, target: string) => string[],
][] = [
  [
    "Caddy",
    caddy,
    (folder, port, target) => {
      const sample = readFileSync(join(ROOT, "ops/caddy/Caddyfile"), "utf8");
      const file = join(folder, "Caddyfile");
      const changed = sample
        .replace("{$DOMAIN:tokens.example}", `http://127.0.0.1:${port}`)
        .replace("{$TOKEND:127.0.0.1:8787}", target);
      writeFileSync(file, `{\n\tadmin off\n}\n${changed}`);
      return [caddy.path, "run", "--config", file, "--adapter", "caddyfile"];
    },
  ],
  [
    "nginx",
    nginx,
    (folder, port, target) => {
      const sample = readFileSync(join(ROOT, "ops/nginx/tokend.conf"), "utf8")
        .replace("127.0.0.1:8787", target)
        .replace("listen 443 ssl http2", `listen 127.0.0.1:${port}`)
        .replace(/^.*(listen \[::\]|ssl_certificate).*$/gm, "");
      const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map((name) => `${name}_temp_path ${folder}/tmp;`)
        .join("\n");
      mkdirSync(join(folder, "tmp"));
      writeFileSync(
        join(folder, "nginx.conf"),
        `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log stderr notice;\n` +
          `events {}\nhttp {\naccess_log off;\n${places}\n${sample}\n}`,
      );
      return [nginx.path, "-p", folder, "-c", join(folder, "nginx.conf")];
    },
  ],
];

describe.each(PROXIES)("behind %s as its sample says", (_, tool, prepare) => {
  const folder = tempFolder();
  let server: TestServer;
  let proxy: ServerProcess | undefined;
  let url: string;

  beforeAll(async () => {
    if (tool.isMissing) return;
    server = await startTestServer({ TRUST_PROXY: "true", RATE_LIMIT_AUTH_PER_MINUTE: "1000" });
    const port = await heldPort();
    const command = prepare(folder.path, port, new URL(server.url).host);
    proxy = await startProcess(command, {
      cwd: folder.path,
      env: { HOME: folder.path },
      // Both say so when they serve; the URL is known.
      ready: /(serving initial configuration|start worker process|using the "epoll")/,
    });
    url = `http://127.0.0.1:${port}`;
    while (
      !(await fetch(`${url}/health`).then(
        ({ ok }) => ok,
        () => false,
      ))
    )
      await Bun.sleep(20);
  });

  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  test.skipIf(tool.isMissing)("an event reaches its agent while the stream is open", async () => {
    const agent = await Agent.signedIn({ ...server, url });
    await using stream = await openStream(agent);
    await agent.launched("PROXIED");
    expect(await stream.nextEvent()).toMatchObject({ type: "launch.succeeded" });
  });

  test.skipIf(tool.isMissing)(
    "a client cannot choose the address by which it is limited",
    async () => {
      const remaining = async (address: string) => {
        const { headers } = await fetch(`${url}/api/auth/challenge`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-forwarded-for": address },
          body: "{}",
        });
        return Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
      };
      const first = await remaining("203.0.113.1");
      expect(await remaining("203.0.113.2")).toBeLessThan(first);
    },
  );
});

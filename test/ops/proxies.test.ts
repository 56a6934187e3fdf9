import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { heldPort } from "../../server/src/testing/held-port.ts";
import { admin } from "../support/admin.ts";
import { Agent } from "../support/agent.ts";
import { openStream } from "../support/event-stream.ts";
import { startMeteoraServer } from "../support/meteora-server.ts";
import { ROOT, startProcess, tempDir } from "../support/processes.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { findTool, type Tool } from "./tool.ts";

setDefaultTimeout(300_000);

const caddy = findTool("caddy");
const nginx = findTool("nginx");

/** Sign-in requests of one address a minute. */
const SIGN_INS = 30;

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

/** Starts a proxy as its sample says. @returns its URL, once it serves */
async function startProxy(
  [, , prepare]: (typeof PROXIES)[number],
  target: string,
  stack: AsyncDisposableStack,
): Promise<string> {
  const folder = stack.use(tempDir());
  const port = await heldPort();
  const proxy = await startProcess(prepare(folder.path, port, new URL(target).host), {
    cwd: folder.path,
    env: { HOME: folder.path },
    // Both say so when they serve; the URL is known.
    ready: /(serving initial configuration|start worker process|using the "epoll")/,
  });
  stack.use(proxy);
  const url = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${url}/ready`).then(
      (answer) => answer.ok,
      () => false,
    );
  while (!(await isUp())) await Bun.sleep(20);
  return url;
}

describe.each(PROXIES)("behind %s as its sample says", (...proxy) => {
  const [, tool] = proxy;
  const stack = new AsyncDisposableStack();
  let server: TestServer;
  let url: string;

  beforeAll(async () => {
    if (tool.isMissing) return;
    const env = { TRUST_PROXY: "true", RATE_LIMIT_AUTH_PER_MINUTE: String(SIGN_INS) };
    server = stack.use(await startTestServer(env));
    url = await startProxy(proxy, server.url, stack);
  });
  afterAll(() => stack.disposeAsync());

  test.skipIf(tool.isMissing)("an event reaches its agent while the stream is open", async () => {
    const agent = await Agent.signedIn({ ...server, url });
    await using stream = await openStream(agent);
    await agent.launched("PROXIED");
    expect(await stream.nextEvent()).toMatchObject({ type: "launch.succeeded" });
  });

  test.skipIf(tool.isMissing)(
    "a client cannot choose the address by which it is limited",
    async () => {
      const ask = async (address: string) => {
        const { status } = await fetch(`${url}/api/auth/challenge`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-forwarded-for": address },
          body: "{}",
        });
        return status;
      };
      const statuses = await Promise.all(
        Array.from({ length: 2 * SIGN_INS }, (_, n) => ask(`203.0.113.${n}`)),
      );
      expect(statuses).toContain(429);
    },
  );
});

/** Milliseconds between two looks: without a pause they would keep both cores busy. */
const POLL_MS = 50;
const SETTINGS = { TRUST_PROXY: "true", METRICS_PORT: "0", RATE_LIMIT_PUBLIC_PER_MINUTE: "0" };

describeMeteora("with an empty launch wallet, a dead RPC and paused launches", () => {
  const stack = new AsyncDisposableStack();
  let server: Awaited<ReturnType<typeof startMeteoraServer>>;
  const urls: string[] = [];
  const there = PROXIES.filter(([, tool]) => !tool.isMissing);
  beforeAll(async () => {
    server = stack.use(await startMeteoraServer(SETTINGS));
    for (const proxy of there) urls.push(await startProxy(proxy, server.url, stack));
  });
  afterAll(() => stack.disposeAsync());

  /** How often the proxies and this test have asked the server whether it may get requests. */
  async function checks(): Promise<number> {
    const text = await (await fetch(server.metricsUrl ?? "")).text();
    const asked = text.matchAll(/route="\/(?:ready|health)",status="\d+"} (\d+)/g);
    return [...asked].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  test("reads, metadata, pages and /health itself come through each proxy, and claims while the RPC answers", async () => {
    const { agent, mint } = await server.token("STAYS");
    const paths = [`/public/tokens/${mint}`, `/metadata/${mint}.json`, `/t/${mint}`, "/ready"];
    const headers = { accept: "text/html" };
    const stays = async (health: number, claim: number, says: string, checksOfCaddy = 0) => {
      for (const [index, url] of urls.entries()) {
        for (;;) {
          const answer = await fetch(`${url}/health`);
          if (answer.status === health && (await answer.text()).includes(says)) break;
          await Bun.sleep(POLL_MS);
        }
        const before = await checks();
        let own = 0;
        // Caddy asks by itself; nginx asks nothing.
        const theirs = async () => (await checks()) - before - own;
        do {
          const answers = await Promise.all(paths.map((path) => fetch(url + path, { headers })));
          expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
          own++;
          await Bun.sleep(POLL_MS);
        } while (there[index]?.[0] === "Caddy" && (await theirs()) < checksOfCaddy);
        agent.server = { url };
        expect((await agent.get("/api/v1/tokens/")).status).toBe(200);
        expect((await agent.post(`/api/v1/tokens/claims/${mint}`)).status).toBe(claim);
      }
    };
    await admin(server.dataDir, "pause", "launches", "--reason", "new keys until noon");
    await stays(200, 200, "new keys until noon");
    await server.emptyLaunchWallet();
    await stays(503, 200, "holds");
    server.failRpc();
    await stays(503, 503, "RPC", 2);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { describePostgres } from "../../testing/describe-postgres.ts";
import { PATIENT, startPostgres, type TestPostgres } from "../../testing/postgres.ts";
import { lockKey } from "./database.ts";
import { inspectPostgres, openPostgresStore } from "./store.ts";
import { startProxy, throughPort } from "./testing/proxy.ts";

const PASSWORD = "only-for-tests";
const REFUSED = /certificate|ALTNAME/i;

/** Returns the line that the operator reads if the start fails. */
async function refusalOf(url: string): Promise<string> {
  const store = await openPostgresStore(url, { timeouts: PATIENT }).catch(
    (error: unknown) => error,
  );
  if (!(store instanceof Error)) throw new Error("it starts");
  expect(store.message).not.toContain("\n");
  expect(store.message).not.toContain(PASSWORD);
  return store.message;
}

async function opens(url: string): Promise<boolean> {
  const store = await openPostgresStore(url, { timeouts: PATIENT });
  await store.ping();
  await store.close();
  return true;
}

describePostgres("a start", () => {
  let server: TestPostgres;
  let url: string;
  let at: string;
  const run = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: server.url() });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  /** Switches TLS on or off, and waits until new connections see it. */
  const setTls = async (value: "on" | "off") => {
    await run(`alter system set ssl = ${value}`, "select pg_reload_conf()");
    while ((await server.run("psql", "-AtXc", "show ssl", server.url())).trim() !== value);
  };
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
    at = `127.0.0.1:${server.port}`;
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each<[string | RegExp, string, string]>([
    ["127.0.0.1", "no.invalid", "no.invalid:PORT: "],
    [PASSWORD, "wrong", 'AT refuses: password authentication failed for user "tokend"'],
    [`:${PASSWORD}`, "", "AT: SASL"],
    [/\w+$/, "nothing", 'AT refuses: database "nothing" does not exist'],
    [/:\d+\//, ":1/", "127.0.0.1:1: "],
  ])("says if its URL has instead of %s %p: %s", async (right, wrong, said) => {
    const line = said.replace("AT", at).replace("PORT", `${server.port}`);
    expect(await refusalOf(url.replace(right, wrong))).toStartWith(line);
  });

  test("says if what listens there never answers", async () => {
    await using silent = await startProxy(server.port, { toServer: () => null });
    const opened = openPostgresStore(throughPort(url, silent.port), {
      timeouts: { connectMs: 100, statementMs: 1_000, queryMs: 1_000 },
    });
    await expect(opened).rejects.toThrow(`127.0.0.1:${silent.port}: Connection terminated`);
  });

  test("says if the database's encoding cannot hold every text", async () => {
    await run("create database latin encoding 'LATIN1' template template0 locale 'C'");
    expect(await refusalOf(server.url("latin"))).toStartWith(
      `${at}: Its encoding is LATIN1, which cannot hold every name: make the database with createdb`,
    );
  });

  test("says if the user may not make tables", async () => {
    const url = await server.createDatabase();
    const database = new URL(url).pathname.slice(1);
    await run(
      `create role guest login password '${PASSWORD}'`,
      `grant connect on database ${database} to guest`,
    );
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query("revoke create on schema public from public");
    await client.end();
    const own = url.replace("tokend:", "guest:");
    expect(await refusalOf(own)).toBe(`${at} refuses: permission denied for schema public`);
    await run(`alter database ${database} owner to guest`);
    expect(await opens(own)).toBe(true);
    await server.run("psql", "-c", "alter table tokens owner to tokend", url);
    const remedy = (table: string) =>
      `alter table ${table} owner to guest; grant all on ${table} to guest`;
    const said = `its user may not write the table tokens: ${remedy("tokens")}`;
    expect(await refusalOf(own)).toBe(`${at}: ${said}`);
    await expect(inspectPostgres(own)).rejects.toThrow(said);
    await server.run("psql", "-c", remedy("tokens"), url);
    // A running server says so too.
    const store = await openPostgresStore(own, { timeouts: PATIENT });
    for (const right of ["select", "insert", "update", "delete"]) {
      await server.run("psql", "-c", `revoke ${right} on launches from guest`, url);
      expect(`${(await store.findProblem())?.cause}`).toEndWith(`launches: ${remedy("launches")}`);
      await server.run("psql", "-c", remedy("launches"), url);
      expect(await store.findProblem()).toBeNull();
    }
    await store.close();
  });

  test("waits for locks as long as it means to, not as long as the database's settings say", async () => {
    const url = await server.createDatabase();
    const settings = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];
    const database = new URL(url).pathname.slice(1);
    await run(...settings.map((name) => `alter database ${database} set ${name} = 50`));
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query(settings.map((name) => `set ${name} = 0`).join(";"));
    await other.query(`select pg_advisory_lock(${lockKey("migration")})`);
    const opening = openPostgresStore(url, { timeouts: PATIENT });
    await other.query("select pg_sleep(0.3)");
    await other.query("select pg_advisory_unlock_all()");
    const store = await opening;
    await other.query("begin; lock table fee_thresholds in exclusive mode");
    const writing = store.watch.setThreshold("agent", 5n);
    await other.query("select pg_sleep(0.3); commit");
    await writing;
    expect(await store.watch.threshold("agent")).toBe(5n);
    await other.end();
    await store.close();
  });

  test("says if no host takes writes, and takes the first that does", async () => {
    const [host = "", database = ""] = [`tokend:${PASSWORD}@`, new URL(url).pathname.slice(1)];
    await using second = await startProxy(server.port);
    const hosts = `127.0.0.1:1,127.0.0.1:${second.port}`;
    expect(await opens(`postgres://${host}${hosts}/${database}`)).toBe(true);
    await run(`alter database ${database} set default_transaction_read_only = on`);
    expect(await refusalOf(`postgres://${host}${hosts}/${database}`)).toEqual(
      expect.stringMatching(/^127.0.0.1:1: .+; 127.0.0.1:\d+: it takes no writes: it is a standby/),
    );
    await run(`alter database ${database} reset default_transaction_read_only`);
  });

  describe("with TLS", () => {
    test("of a server that speaks none, is refused if it is asked for, and not if it is preferred", async () => {
      for (const mode of ["require", "verify-ca", "verify-full"]) {
        expect(await refusalOf(`${url}?sslmode=${mode}`)).toContain("does not support SSL");
      }
      expect(await opens(`${url}?sslmode=prefer`)).toBe(true);
      expect(await opens(`${url}?sslmode=disable`)).toBe(true);
    });

    test("means what libpq means by each sslmode", async () => {
      const { ca, otherCa } = makeCertificates(server.data);
      await setTls("on");
      const local = url.replace("127.0.0.1", "localhost");
      // Encrypts without checking a certificate.
      expect(await opens(`${url}?sslmode=prefer`)).toBe(true);
      expect(await opens(`${url}?sslmode=require`)).toBe(true);
      // A root certificate makes `require` check like `verify-ca`, which ignores the host's name.
      for (const mode of ["require", "verify-ca"]) {
        expect(await opens(`${url}?sslmode=${mode}&sslrootcert=${ca}`)).toBe(true);
        expect(await refusalOf(`${url}?sslmode=${mode}&sslrootcert=${otherCa}`)).toMatch(REFUSED);
      }
      expect(await refusalOf(`${url}?sslmode=verify-ca`)).toMatch(REFUSED);
      expect(await opens(`${local}?sslmode=verify-full&sslrootcert=${ca}`)).toBe(true);
      expect(await refusalOf(`${url}?sslmode=verify-full&sslrootcert=${ca}`)).toMatch(REFUSED);
      expect(await refusalOf(`${url}?sslmode=verify-ca&sslrootcert=/no/file`)).toContain(
        "The file of sslrootcert cannot be read: /no/file",
      );
      const encrypted =
        "select count(*)::int as n from pg_stat_ssl where ssl and pid <> pg_backend_pid()";
      const client = new pg.Client({ connectionString: server.url() });
      await client.connect();
      for (const [mode, expected] of [
        ["prefer", true],
        ["disable", false],
      ] as const) {
        const store = await openPostgresStore(`${url}?sslmode=${mode}`, { timeouts: PATIENT });
        await store.ping();
        expect((await client.query(encrypted)).rows[0].n > 0).toBe(expected);
        await store.close();
      }
      await client.end();
      await setTls("off");
    });
  });
});

/** Creates two authorities, and a `localhost` certificate of the first in the server's folder. */
function makeCertificates(data: string): { readonly ca: string; readonly otherCa: string } {
  const openssl = (...args: string[]) => {
    const { exitCode, stderr } = Bun.spawnSync(["openssl", ...args], { cwd: data });
    if (exitCode !== 0) throw new Error(stderr.toString());
  };
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const authority = (name: string) => {
    const files = ["-keyout", `${name}.key`, "-out", `${name}.pem`];
    openssl("req", "-x509", ...curve, ...files, "-subj", `/CN=${name}`, "-days", "2");
    return join(data, `${name}.pem`);
  };
  const ca = authority("ca");
  const otherCa = authority("other");
  openssl("req", ...curve, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost");
  writeFileSync(join(data, "names"), "subjectAltName=DNS:localhost");
  const signer = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names"];
  openssl("x509", "-req", "-in", "server.csr", "-out", "server.crt", ...signer, "-days", "2");
  const { uid, gid } = statSync(data);
  for (const file of ["server.key", "server.crt"]) chownSync(join(data, file), uid, gid);
  chmodSync(join(data, "server.key"), 0o600);
  return { ca, otherCa };
}

import { expect, test } from "bun:test";
import { createLog } from "../base/log.ts";
import { readConfig } from "../config/config.ts";
import type { ChainBinding } from "../store/chain-binding.ts";
import { SOLANA_SETTINGS } from "../testing/solana-settings.ts";
import { tempStore } from "../testing/temp-store.ts";
import { bindDatabase, changesOf, ownerOf, ownerProblem } from "./owner.ts";
import { fingerprintOf } from "./secrets.ts";

const SECRET = Buffer.alloc(32, 1);
const OTHER_SECRET = Buffer.alloc(32, 2);
const CONFIG = SOLANA_SETTINGS.DBC_CONFIG;
const OTHER_CONFIG = "So11111111111111111111111111111111111111112";

type Env = Readonly<Record<string, string>>;

/** Makes a server's settings, and what it reports about a database with the binding `bound`. */
function server(env: Env, wallet = "wallet", secret = SECRET) {
  const config = readConfig(env);
  const owner = ownerOf(config, wallet, secret);
  return {
    owner,
    problem: (bound: ChainBinding) => ownerProblem(config, bound, owner),
    changes: (bound: ChainBinding) => changesOf(bound, owner),
  };
}

const SQLITE: Env = { ...SOLANA_SETTINGS, DATA_DIR: "/data" };
const SHARED: Env = { ...SOLANA_SETTINGS, DATABASE_URL: "postgres://u:hush@h/t" };
const BOUND: ChainBinding = {
  chain: "solana",
  launchWallet: "wallet",
  genesisHash: "genesis",
  mintSecretFingerprint: fingerprintOf(SECRET),
  dbcConfig: CONFIG,
};

test("the same owner as before has no problem and changes nothing", () => {
  for (const env of [SQLITE, SHARED]) {
    expect(server(env).problem(BOUND)).toBeNull();
    expect(server(env).changes(BOUND)).toEqual({});
  }
});

test("a database keeps its mint secret, unless the operator accepts the other's fingerprint", () => {
  const other = fingerprintOf(OTHER_SECRET);
  const accept = `to change the secret for good, which is safe only for a database that was the last one in use, set ACCEPT_CHANGE=${other}.`;
  expect(server(SHARED, "wallet", OTHER_SECRET).problem(BOUND)).toBe(
    `data/mint.secret is not the mint secret of the launches in the database: with it, launches in progress could be deployed a second time. Give this server that of the others, or another DATABASE_URL; ${accept}`,
  );
  const given = { ...SQLITE, MINT_SECRET: OTHER_SECRET.toString("hex") };
  expect(server(given, "wallet", OTHER_SECRET).problem(BOUND)).toBe(
    `MINT_SECRET is not the mint secret of the launches in /data/tokend.sqlite: with it, launches in progress could be deployed a second time. Put that one back (a backup has it as *.mint-secret), or give this server another DATA_DIR; ${accept}`,
  );
  const accepted = server({ ...SHARED, ACCEPT_CHANGE: other }, "wallet", OTHER_SECRET);
  expect(accepted.problem(BOUND)).toBeNull();
  expect(accepted.changes(BOUND)).toEqual({ mintSecretFingerprint: other });
  const wrong = { ...SHARED, ACCEPT_CHANGE: fingerprintOf(SECRET) };
  expect(server(wrong, "wallet", OTHER_SECRET).problem(BOUND)).not.toBeNull();
});

test("a sandbox keeps its mint secret, whatever is accepted", () => {
  const env = { DATA_DIR: "/data", ACCEPT_CHANGE: fingerprintOf(OTHER_SECRET) };
  const bound = { ...BOUND, chain: "local", dbcConfig: null } as const;
  expect(server(env).problem(bound)).toBeNull();
  const refusal =
    "/data/mint.secret is not the one with which the sandbox was made. Put that one back (a backup has it as *.mint-secret), or start with an empty DATA_DIR.";
  expect(server(env, "wallet", OTHER_SECRET).problem(bound)).toBe(refusal);
});

test("a database keeps its launch wallet, unless the operator accepts the other", () => {
  expect(server(SHARED, "other").problem(BOUND)).toBe(
    "The database belongs to wallet, but LAUNCH_KEYPAIR names other. Set LAUNCH_KEYPAIR back, or give this server another DATABASE_URL; to change it for good, set ACCEPT_CHANGE=other.",
  );
  const accepted = server({ ...SHARED, ACCEPT_CHANGE: CONFIG }, CONFIG);
  expect(accepted.problem(BOUND)).toBeNull();
  expect(accepted.changes(BOUND)).toEqual({ launchWallet: CONFIG });
});

test("a shared database keeps its config, unless the operator accepts the other", () => {
  const changed = { ...SHARED, DBC_CONFIG: OTHER_CONFIG };
  expect(server(changed).problem(BOUND)).toBe(
    `The database belongs to ${CONFIG}, but DBC_CONFIG names ${OTHER_CONFIG}. Set DBC_CONFIG back, or give this server another DATABASE_URL; to change it for good, set ACCEPT_CHANGE=${OTHER_CONFIG}.`,
  );
  const accepted = server({ ...changed, ACCEPT_CHANGE: OTHER_CONFIG });
  expect(accepted.problem(BOUND)).toBeNull();
  expect(accepted.changes(BOUND)).toEqual({ dbcConfig: OTHER_CONFIG });
});

test("with SQLite the config may change as ever, and is not bound", () => {
  const changed = server({ ...SQLITE, DBC_CONFIG: OTHER_CONFIG });
  expect(changed.owner.dbcConfig).toBeNull();
  expect(changed.problem(BOUND)).toBeNull();
  expect(changed.changes(BOUND)).toEqual({});
});

const SETTINGS = readConfig({ ...SOLANA_SETTINGS, DATABASE_URL: "postgres://u:hush@h/t" });
const quiet = createLog("silent");
const OWNER = ownerOf(SETTINGS, "wallet", Buffer.alloc(32, 1));

test("a start on a database that is bound writes nothing, and one on a binding without a config adds it", async () => {
  using temp = tempStore();
  const { chainBinding } = temp.store;
  let writes = 0;
  const counted = {
    read: () => chainBinding.read(),
    bind: (...args: Parameters<typeof chainBinding.bind>) => {
      writes += 1;
      return chainBinding.bind(...args);
    },
    change: () => Promise.reject(new Error("nothing was accepted")),
  };
  await chainBinding.bind({ ...OWNER, dbcConfig: null, genesisHash: null });

  await bindDatabase({ store: counted, log: quiet }, SETTINGS, OWNER);
  expect(await chainBinding.read()).toEqual({ ...OWNER, genesisHash: null });
  expect(writes).toBe(1);
  await bindDatabase({ store: counted, log: quiet }, SETTINGS, OWNER);
  expect(writes).toBe(1);
});

test("a wallet is bound once a server has one, and neither leaves nor changes unnoticed", async () => {
  using temp = tempStore();
  const { chainBinding } = temp.store;
  const without = { ...OWNER, launchWallet: null };
  for (const owner of [without, OWNER, without]) {
    await bindDatabase({ store: chainBinding, log: quiet }, SETTINGS, owner);
  }
  expect(await chainBinding.read()).toMatchObject({ launchWallet: "wallet" });
  const other = { ...OWNER, launchWallet: "another" };
  expect(bindDatabase({ store: chainBinding, log: quiet }, SETTINGS, other)).rejects.toThrow(
    "another",
  );
});

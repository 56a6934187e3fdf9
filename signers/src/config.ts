import { readFileSync, statSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { PURPOSES, type Rules } from "./policy.ts";

const text = Type.String({ minLength: 1 });
const address = Type.String({ pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$" });
const lamports = Type.Integer({ minimum: 0, maximum: 1_000_000_000 });
const url = Type.String({ pattern: "^https?://" });
const only = { additionalProperties: false };

/** The settings of each backend, with the names of `@solana/keychain`. */
const BACKENDS = {
  keypair: text,
  awsKms: Type.Object(
    {
      keyId: text,
      publicKey: address,
      region: text,
      credentials: Type.Optional(
        Type.Object(
          { accessKeyId: text, secretAccessKey: text, sessionToken: Type.Optional(text) },
          only,
        ),
      ),
    },
    only,
  ),
  fireblocks: Type.Object(
    {
      apiKey: text,
      privateKeyPem: text,
      vaultAccountId: text,
      apiBaseUrl: Type.Optional(url),
      assetId: Type.Optional(text),
      pollIntervalMs: Type.Optional(Type.Integer({ minimum: 50 })),
      maxPollAttempts: Type.Optional(Type.Integer({ minimum: 1 })),
    },
    only,
  ),
  privy: Type.Object(
    { appId: text, appSecret: text, walletId: text, apiBaseUrl: Type.Optional(url) },
    only,
  ),
  turnkey: Type.Object(
    {
      apiPublicKey: text,
      apiPrivateKey: text,
      organizationId: text,
      privateKeyId: text,
      publicKey: address,
      apiBaseUrl: Type.Optional(url),
    },
    only,
  ),
  vault: Type.Object({ vaultAddr: url, vaultToken: text, keyName: text, publicKey: address }, only),
};

const CONFIG = Type.Object(
  {
    key: Type.Partial(Type.Object(BACKENDS, { ...only, minProperties: 1, maxProperties: 1 })),
    purposes: Type.Array(Type.Union(PURPOSES.map((one) => Type.Literal(one))), {
      default: [...PURPOSES],
    }),
    configs: Type.Union([Type.Null(), Type.Array(address)], { default: null }),
    maxFeeLamports: Type.Unsafe<number>({ ...lamports, default: 1_000_000 }),
    tipAccounts: Type.Array(address, { default: [] }),
    maxTipLamports: Type.Unsafe<number>({ ...lamports, default: 0 }),
    listen: Type.Object(
      { port: Type.Integer({ minimum: 0, maximum: 65_535 }), password: text },
      only,
    ),
  },
  only,
);

export type KeyConfig = Static<typeof CONFIG>["key"];
export interface Config extends Pick<Static<typeof CONFIG>, "key" | "listen"> {
  readonly rules: Rules;
}

/** @throws {Error} that says what is wrong, without the file's values: they are secrets */
export function readConfig(path: string): Config {
  const value = Value.Default(CONFIG, parse(path));
  const [wrong] = Value.Errors(CONFIG, value);
  if (wrong) throw new Error(`${path}: ${wrong.path || "/"}: ${wrong.message}`);
  const { key, listen, maxFeeLamports, maxTipLamports, ...lists } = value as Static<typeof CONFIG>;
  const caps = { maxFeeLamports: BigInt(maxFeeLamports), maxTipLamports: BigInt(maxTipLamports) };
  return { key, listen, rules: { ...lists, ...caps } };
}

/** @throws {Error} there is no such file, or other users can read or change it */
export function readSecret(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new Error(`There is no file ${path}: launch-signer --help says what it reads`);
  const { mode, uid, gid } = found;
  // systemd's LoadCredential files are root's, and their access list appears as rights of its group.
  const others = uid === 0 && gid === 0 ? 0o037 : 0o077;
  const isForeign = uid !== 0 && uid !== process.geteuid?.();
  if (isForeign) throw new Error(`${path} belongs to another user (uid ${uid}): chown it`);
  if ((mode & others) !== 0) throw new Error(`${path} can be read by other users: chmod 600 it`);
  return readFileSync(path, "utf8");
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readSecret(path));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Error(`${path} is not JSON`);
  }
}

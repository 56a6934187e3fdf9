import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  verify,
} from "node:crypto";
import { chmodSync, chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Keypair, SystemProgram, Transaction, type TransactionInstruction } from "@solana/web3.js";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import { createPool } from "@tokenctl/shared/programs/recipes";
import { jwtVerify } from "jose";
import { systemClock } from "../../server/src/base/clock.ts";
import { signMessage } from "../../server/src/base/native-keys.ts";
import { builder, toInstruction } from "../../server/src/launchpad/meteora/programs.ts";
import { askHttp, remoteSigner } from "../../server/src/solana/open-wallet.ts";
import { tempDir } from "../../server/src/testing/temp-dir.ts";
import { readConfig } from "./config.ts";
import { openKey } from "./key.ts";

setDefaultTimeout(60_000);

const wallet = Keypair.generate();
const publicKey = wallet.publicKey.toBase58();
const folder = tempDir();
afterAll(() => folder[Symbol.dispose]());

/** An instruction that the launch policy allows, and a payment that it refuses. */
const creation = toInstruction(
  createPool(builder, {
    config: dbc.id,
    mint: Keypair.generate().publicKey.toBase58(),
    tokenProgram: TOKEN_2022,
    payer: publicKey,
    name: "Mine",
    symbol: "MINE",
    uri: "",
  }),
);
const payment = SystemProgram.transfer({
  fromPubkey: wallet.publicKey,
  toPubkey: Keypair.generate().publicKey,
  lamports: 1,
});
function messageOf(instruction: TransactionInstruction): Buffer {
  const recentBlockhash = dbc.id;
  return new Transaction({ feePayer: wallet.publicKey, recentBlockhash })
    .add(instruction)
    .serializeMessage();
}

const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const pem = (key: KeyObject) => String(key.export({ type: "pkcs8", format: "pem" }));
const hexOf = (part: string | undefined) => Buffer.from(part ?? "", "base64url").toString("hex");
const { d, x, y } = ec.privateKey.export({ format: "jwk" });
const compressed = (Number.parseInt(hexOf(y).slice(-1), 16) % 2 === 0 ? "02" : "03") + hexOf(x);

interface Call<Body = unknown> {
  readonly headers: Headers;
  readonly path: string;
  readonly text: string;
  readonly body: Body;
}

/** A fake API of a key service: it authenticates calls and answers them. */
interface Fake {
  /** Returns the backend's settings for this URL. */
  readonly config: (url: string) => object;
  readonly isKnown: (call: Call) => boolean | Promise<boolean>;
  /** Answers by method and path, with a signature or with facts about the key. */
  readonly routes: Readonly<Record<string, (call: Call<never>) => object>>;
}

const signatureOf = (message: Uint8Array) => Buffer.from(signMessage(message, wallet.secretKey));
const base64 = (message: string) => signatureOf(Buffer.from(message, "base64")).toString("base64");
const hex = (message: string) => signatureOf(Buffer.from(message, "hex")).toString("hex");
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const signedByFireblocks = new Map<string, string>();

const FAKES: Readonly<Record<string, Fake>> = {
  awsKms: {
    config: () => ({
      keyId: "alias/launch",
      publicKey,
      region: "eu-central-1",
      credentials: { accessKeyId: "AKID", secretAccessKey: "hush" },
    }),
    isKnown: ({ headers }) =>
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-central-1\/kms\/aws4_request, /.test(
        headers.get("authorization") ?? "",
      ),
    routes: {
      "POST /": ({ headers, body: { Message, ...how } }: Call<{ Message: string }>) => {
        expect(headers.get("x-amz-target")).toBe("TrentService.Sign");
        const SigningAlgorithm = "ED25519_SHA_512";
        expect({ ...how }).toEqual({ KeyId: "alias/launch", MessageType: "RAW", SigningAlgorithm });
        return { ...how, Signature: base64(Message) };
      },
    },
  },
  vault: {
    config: (vaultAddr) => ({ vaultAddr, vaultToken: "hvs.hush", keyName: "launch", publicKey }),
    isKnown: ({ headers }) => headers.get("x-vault-token") === "hvs.hush",
    routes: {
      "POST /v1/transit/sign/launch": ({ body: { input } }: Call<{ input: string }>) => ({
        data: { signature: `vault:v1:${base64(input)}` },
      }),
    },
  },
  privy: {
    config: (apiBaseUrl) => ({ appId: "app", appSecret: "hush", walletId: "w1", apiBaseUrl }),
    isKnown: ({ headers }) =>
      headers.get("authorization") === `Basic ${btoa("app:hush")}` &&
      headers.get("privy-app-id") === "app",
    routes: {
      "GET /wallets/w1": () => ({ id: "w1", address: publicKey, chain_type: "solana" }),
      "POST /wallets/w1/rpc": ({ body }: Call<{ method: string; params: { message: string } }>) => {
        expect(body.method).toBe("signMessage");
        return { data: { encoding: "base64", signature: base64(body.params.message) } };
      },
    },
  },
  turnkey: {
    config: (apiBaseUrl) => ({
      apiPublicKey: compressed,
      apiPrivateKey: hexOf(d),
      organizationId: "org",
      privateKeyId: "key",
      publicKey,
      apiBaseUrl,
    }),
    isKnown({ headers, text }) {
      const stamp = Buffer.from(headers.get("x-stamp") ?? "", "base64url").toString();
      const { publicKey: by, signature } = JSON.parse(stamp) as Record<string, string>;
      const bytes = Buffer.from(signature ?? "", "hex");
      return by === compressed && verify("sha256", Buffer.from(text), ec.publicKey, bytes);
    },
    routes: {
      "POST /public/v1/submit/sign_raw_payload": ({
        body: { organizationId, parameters },
      }: Call<{ organizationId: string; parameters: Record<"payload" | "signWith", string> }>) => {
        const { payload, ...how } = parameters;
        expect({ organizationId, ...how } as object).toEqual({
          organizationId: "org",
          signWith: "key",
          encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
          hashFunction: "HASH_FUNCTION_NOT_APPLICABLE",
        });
        const both = hex(payload);
        const signRawPayloadResult = { r: both.slice(0, 64), s: both.slice(64) };
        return { activity: { status: "COMPLETED", result: { signRawPayloadResult } } };
      },
    },
  },
  fireblocks: {
    config: (apiBaseUrl) => ({
      apiKey: "api",
      privateKeyPem: pem(rsa.privateKey),
      vaultAccountId: "7",
      apiBaseUrl,
      pollIntervalMs: 50,
    }),
    async isKnown({ headers, path, text }) {
      const token = headers.get("authorization")?.replace("Bearer ", "") ?? "";
      const { payload } = await jwtVerify(token, createPublicKey(rsa.privateKey as never));
      const { sub, uri, bodyHash } = payload;
      return sub === "api" && uri === path && bodyHash === sha256(text);
    },
    routes: {
      "GET /v1/vault/accounts/7/SOL/addresses_paginated": () => ({
        addresses: [{ address: publicKey }],
      }),
      "POST /v1/transactions": ({
        body: { extraParameters, ...how },
      }: Call<{ extraParameters: { rawMessageData: { messages: { content: string }[] } } }>) => {
        const source = { id: "7", type: "VAULT_ACCOUNT" };
        expect({ ...how }).toEqual({ assetId: "SOL", operation: "RAW", source });
        const [message] = extraParameters.rawMessageData.messages;
        signedByFireblocks.set("t1", hex(message?.content ?? ""));
        return { id: "t1", status: "SUBMITTED" };
      },
      "GET /v1/transactions/t1": () => ({
        id: "t1",
        status: "COMPLETED",
        signedMessages: [{ signature: { fullSig: signedByFireblocks.get("t1") } }],
      }),
    },
  },
};

function serveFake({ isKnown, routes }: Fake, status = 200) {
  return Bun.serve({
    port: 0,
    development: false,
    reusePort: false,
    async fetch(request) {
      if (status !== 200) return Response.json({ errors: ["permission denied"] }, { status });
      const { pathname: path } = new URL(request.url);
      const text = await request.text();
      const call = { headers: request.headers, path, text, body: text ? JSON.parse(text) : {} };
      const route = routes[`${request.method} ${path}`];
      if (!route) return Response.json({}, { status: 404 });
      if (!(await isKnown(call))) return Response.json({}, { status: 401 });
      return Response.json(await route(call as never));
    },
  });
}

let files = 0;
function write(config: object, mode = 0o600): string {
  const path = join(folder.path, `${files++}.json`);
  writeFileSync(path, JSON.stringify(config));
  chmodSync(path, mode);
  return path;
}

const LISTEN = { port: 0, password: "p:w" };
const PROGRAM = [process.execPath, join(import.meta.dir, "launch-signer.ts")];

test.each(Object.entries(FAKES))("%s signs by its API", async (name, fake) => {
  await using server = serveFake(fake);
  const url = `http://localhost:${server.port}`;
  if (name === "awsKms") process.env.AWS_ENDPOINT_URL_KMS = url;
  try {
    const { key } = readConfig(write({ key: { [name]: fake.config(url) }, listen: LISTEN }));
    const { address, sign } = await openKey(key);
    expect(address).toBe(publicKey);
    const message = messageOf(creation);
    expect(Buffer.from(await sign(message))).toEqual(signatureOf(message));
  } finally {
    delete process.env.AWS_ENDPOINT_URL_KMS;
  }
});

/** Starts the program with a configuration. */
async function start(config: object) {
  const path = write({ ...config, listen: LISTEN });
  const child = Bun.spawn([...PROGRAM, path], { stdout: "pipe", stderr: "pipe" });
  let said = "";
  for await (const part of child.stdout) {
    said += Buffer.from(part).toString();
    if (said.includes("\n")) break;
  }
  const [, at] = /on http:\/\/(127\.0\.0\.1:\d+)$/.exec(said.trim()) ?? [];
  return {
    child,
    open: (password = "p%3Aw") =>
      remoteSigner(askHttp(`http://tokend:${password}@${at}`), systemClock),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

test("a key service that does not sign is no refusal: the program fails, and shows no secret", async () => {
  const { vault } = FAKES;
  if (!vault) throw new Error("there is no Vault");
  await using server = serveFake(vault, 403);
  await using program = await start({
    key: { vault: vault.config(`http://localhost:${server.port}`) },
  });
  const signer = await program.open();
  await expect(signer.sign(messageOf(creation), "launch")).rejects.toThrow("answered HTTP 502");
  program.child.kill();
  const shown = await new Response(program.child.stderr).text();
  expect(shown).toContain("Vault API error: permission denied");
  expect(shown).not.toContain("hvs.hush");
});

test("it signs on this machine what the policy lets through, for who knows the password", async () => {
  const keypair = write([...wallet.secretKey]);
  await using program = await start({ key: { keypair }, purposes: ["launch"] });
  const signer = await program.open();
  expect(signer.publicKey.toBase58()).toBe(publicKey);
  const message = messageOf(creation);
  // The signer's client in the server verifies the signature.
  expect(Buffer.from(await signer.sign(message, "launch"))).toEqual(signatureOf(message));
  await expect(signer.sign(messageOf(payment), "launch")).rejects.toThrow(
    "the launch signer refused: does not sign a launch that calls Transfer of System",
  );
  expect(await signer.refuses("launch")).toBeNull();
  for (const purpose of ["collect", "config"] as const) {
    expect(await signer.refuses(purpose)).toBe(
      `the launch signer refused: does not sign for ${purpose}`,
    );
  }
  await expect(program.open("wrong")).rejects.toThrow("the launch signer answered HTTP 401");
});

test.each([
  ["can be read by other users", { key: { keypair: "/k" } }, 0o644],
  ["/key: Expected object to have at least 1 properties", { key: {}, listen: LISTEN }, 0o600],
  [
    "/key/vault/vaultAddr: Expected required property",
    { key: { vault: {} }, listen: LISTEN },
    0o600,
  ],
  ["/maxTip: Unexpected property", { key: { keypair: "/k" }, listen: LISTEN, maxTip: 1 }, 0o600],
])("a configuration that is wrong is refused: %s", (problem, config, mode) => {
  expect(() => readConfig(write(config, mode))).toThrow(problem);
});

test("a keypair file that others can read is refused", async () => {
  const keypair = write([...wallet.secretKey], 0o644);
  await expect(openKey({ keypair })).rejects.toThrow("can be read by other users");
});

test.skipIf(process.geteuid?.() !== 0).each([
  ["belongs to another user (uid 12345)", 0o600, 12_345, 12_345],
  ["can be read by other users", 0o640, 0, 12_345],
])("a configuration that %s is refused", (problem, mode, uid, gid) => {
  const path = write({ key: { keypair: "/k" } }, mode);
  chownSync(path, uid, gid);
  expect(() => readConfig(path)).toThrow(problem);
});

test("a program without its file says so, and --help what the file is", async () => {
  const run = async (...args: string[]) => {
    const command = [process.execPath, join(import.meta.dir, "launch-signer.ts"), ...args];
    const child = Bun.spawn(command, { cwd: folder.path, stdout: "pipe", stderr: "pipe" });
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { stdout, stderr, exitCode: await child.exited };
  };
  const missing = "There is no file launch-signer.json: launch-signer --help says what it reads\n";
  expect(await run()).toEqual({ stdout: "", stderr: missing, exitCode: 1 });
  const help = await run("--help");
  expect(help).toMatchObject({ stderr: "", exitCode: 0 });
  expect(help.stdout).toContain("launch-signer [file]");
});

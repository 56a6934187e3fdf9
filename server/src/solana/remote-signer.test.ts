import { describe, expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import bs58 from "bs58";
import { signMessage } from "../base/native-keys.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import {
  type AskSigner,
  askHttp,
  remoteSigner,
  type SignerRequest,
  signerTimeoutMs,
} from "./open-wallet.ts";

const keypair = Keypair.generate();
const address = keypair.publicKey.toBase58();
const message = Buffer.from("a message");

function answer(request: SignerRequest, { publicKey, secretKey } = keypair): object {
  if (request.method === "publicKey") return { publicKey: publicKey.toBase58() };
  if (request.method === "allows") return { allowed: "yes" };
  const signature = signMessage(Buffer.from(request.message, "base64"), secretKey);
  return { signature: Buffer.from(signature).toString("base64") };
}

/** Makes a signer that reports its right key, and answers other requests with this text. */
const signing = (text: string): AskSigner => {
  return async (request) =>
    request.method === "publicKey" ? JSON.stringify(answer(request)) : text;
};

const open = (ask: AskSigner) => remoteSigner(ask, new ManualClock());

describe("a signer outside the process", () => {
  test("is asked for its key, and signs what it is given, with the purpose", async () => {
    const asked: SignerRequest[] = [];
    const wallet = await open(async (request) => {
      asked.push(request);
      return JSON.stringify(answer(request));
    });
    expect(wallet.publicKey.toBase58()).toBe(address);
    const signature = await wallet.sign(message, "claim");
    expect(Buffer.from(signature)).toEqual(Buffer.from(signMessage(message, keypair.secretKey)));
    expect(asked[1]).toEqual({
      method: "sign",
      publicKey: address,
      message: message.toString("base64"),
      purpose: "claim",
    });
  });

  const stranger = Keypair.generate();
  const ofStranger = answer(
    { method: "sign", publicKey: "", message: message.toString("base64"), purpose: "launch" },
    stranger,
  );
  test.each([
    ["another key's signature", JSON.stringify(ofStranger), "signature is not one of"],
    ["a short signature", '{"signature":"AAAA"}', "signature is not one of"],
    ["a refusal", '{"error":"not on Sundays"}', "the launch signer refused: not on Sundays"],
    ["no signature", "{}", "has no signature"],
    ["null", "null", "has no signature"],
    ["no JSON", "sorry", "is not JSON"],
  ])("%s is never used as a signature", async (_, text, problem) => {
    const wallet = await open(signing(text));
    await expect(wallet.sign(message, "launch")).rejects.toThrow(problem);
  });

  test("without a usable key it opens no wallet", async () => {
    // web3.js would fill up the second one, which is too short, to another wallet's key.
    for (const key of ["no key", bs58.encode(keypair.publicKey.toBytes().subarray(1))]) {
      const text = JSON.stringify({ publicKey: key });
      await expect(open(async () => text)).rejects.toThrow("not a base58 address");
    }
    await expect(open(async () => '{"error":"locked"}')).rejects.toThrow("refused: locked");
  });

  test("says for which purposes it does not sign, and why", async () => {
    const wallet = await open(async (request) =>
      request.method === "allows" && request.purpose === "collect"
        ? '{"error":"not on Sundays"}'
        : JSON.stringify(answer(request)),
    );
    expect(await wallet.refuses("launch")).toBeNull();
    expect(await wallet.refuses("collect")).toBe("the launch signer refused: not on Sundays");
  });

  test("its trouble shows in its check, and ends with it", async () => {
    const clock = new ManualClock();
    let held = keypair;
    const wallet = await remoteSigner(
      async (request) => JSON.stringify(answer(request, held)),
      clock,
    );
    expect(await wallet.check()).toBeNull();
    held = stranger;
    expect(await wallet.check()).toBeNull();
    clock.advance(30_000);
    expect(await wallet.check()).toStartWith("the launch signer now holds");
    held = keypair;
    clock.advance(5_000);
    expect(await wallet.check()).toBeNull();
  });
});

test.each([
  [400, 10_000],
  [200, 10_000],
  [150, 7_500],
  [50, 2_500],
])(
  "at %i ms for a block a signer has %i ms: at most a third of a blockhash's life",
  (msPerBlock, timeoutMs) => {
    expect(signerTimeoutMs({ msPerBlock })).toBe(timeoutMs);
  },
);

describe("a signer over HTTP", () => {
  async function post(
    handle: (request: Request) => Response | Promise<Response>,
    user = "",
    timeoutMs = 30_000,
  ) {
    await using stack = new AsyncDisposableStack();
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", reusePort: false, fetch: handle });
    stack.defer(() => server.stop(true));
    return await askHttp(
      `http://${user}127.0.0.1:${server.port}/sign`,
      () => timeoutMs,
    )({
      method: "publicKey",
    });
  }

  test("gets the request with the URL's user and password", async () => {
    const text = await post(
      async (request) =>
        Response.json({
          body: await request.json(),
          authorization: request.headers.get("authorization"),
        }),
      "tokend:p%40ss@",
    );
    const authorization = `Basic ${Buffer.from("tokend:p@ss").toString("base64")}`;
    expect(JSON.parse(text)).toEqual({ body: { method: "publicKey" }, authorization });
  });

  test.each([
    ["an error", () => new Response("hush", { status: 500 }), "answered HTTP 500"],
    ["a redirect", () => Response.redirect("http://127.0.0.1:1/", 307), "does not answer at all"],
    ["too long an answer", () => new Response("x".repeat(5_000)), "too long"],
    ["silence", () => new Promise<Response>(() => {}), "does not answer in time"],
  ])("%s is not an answer, and the message shows no URL", async (_, handle, problem) => {
    const timeoutMs = problem === "does not answer in time" ? 100 : 30_000;
    const failure = await post(handle, "tokend:secret@", timeoutMs).catch((error) => error);
    expect(failure.message).toContain(problem);
    expect(failure.message).not.toContain("127.0.0.1");
  });
});

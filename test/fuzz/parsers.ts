/**
 * Feeds damaged bytes to what reads strangers' bytes, for as long as asked: `bun run fuzz [seconds]`. A failure prints
 * the seed and the shortest input: it becomes a test.
 */
import { LaunchRequestSchema } from "@tokenctl/shared/contract/launch";
import { joinTransaction, readMessage, splitTransaction } from "@tokenctl/shared/wire-transaction";
import fc from "fast-check";
import { CheckError } from "../../sdk/src/claim-errors.ts";
import { TokenctlError } from "../../sdk/src/errors.ts";
import { explain } from "../../sdk/src/explain/transaction.ts";
import { plainJson } from "../../sdk/src/internal/tokenctl-error.ts";
import { costOf, fromBase64, meteoraClaims, terms } from "../../sdk/test/claim-transactions.ts";
import { ServiceError } from "../../server/src/base/service-error.ts";
import { parser, readJson } from "../../server/src/http/body.ts";
import {
  MalformedTransactionError,
  parseTransaction,
} from "../../server/src/localnet/wire-transaction.ts";
import { formatOf, pngPixels } from "../../server/src/modules/images/container.ts";
import { readSigned, withoutAssertions } from "../../server/src/modules/signing/service.ts";

interface Target {
  readonly samples: readonly Uint8Array[];
  readonly run: (bytes: Uint8Array) => unknown;
  /** What it may throw. */
  readonly refusals: readonly (abstract new (
    ...args: never[]
  ) => Error)[];
}

const claims = Object.values(meteoraClaims).map(fromBase64);
const messages = claims.map((claim) => splitTransaction(claim).message);
const png = fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);
const gif = fromBase64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7");
const webp = fromBase64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==");
const bodies = [
  { name: "Token é 🚀", ticker: "TKN", description: 'a\n"b"', website: "https://tokens.example" },
  {
    name: "Paid",
    ticker: "PAID",
    payer: "agent",
    firstBuySOL: 0.25,
    firstBuyMinTokens: "1.5",
    imageUrl: null,
  },
].map((body) => Buffer.from(JSON.stringify(body)));
const parseLaunch = parser(LaunchRequestSchema);

const targets: Readonly<Record<string, Target>> = {
  "wire transactions": {
    samples: claims,
    refusals: [RangeError],
    run(bytes) {
      const parts = splitTransaction(bytes);
      if (Buffer.compare(joinTransaction(parts), bytes) !== 0)
        throw new Error("it is not what was read");
      readMessage(parts.message);
    },
  },
  "messages with assertions": { samples: messages, refusals: [], run: withoutAssertions },
  "signed transactions": {
    samples: claims,
    refusals: [ServiceError],
    run: (bytes) => readSigned(Buffer.from(bytes).toString("base64")),
  },
  "the embedded chain": {
    samples: claims,
    refusals: [MalformedTransactionError],
    run: parseTransaction,
  },
  "the claim check": {
    samples: claims,
    refusals: [CheckError, TokenctlError],
    run(bytes) {
      const { tokenMints, networkFeeLamports } = costOf(bytes);
      const isWithin = networkFeeLamports <= (terms.maxNetworkFeeLamports ?? 0n);
      if (tokenMints.join() !== terms.tokenMint || !isWithin)
        throw new Error("it accepted another claim");
    },
  },
  "explain, bytes": { samples: claims, refusals: [TokenctlError], run: explain },
  "explain, text": {
    samples: claims.map((claim) => Buffer.from(Buffer.from(claim).toString("base64"))),
    refusals: [TokenctlError],
    run: (bytes) => explain(Buffer.from(bytes).toString("latin1")),
  },
  "request bodies": {
    samples: bodies,
    refusals: [ServiceError],
    async run(body) {
      const headers = { "content-type": "application/json" };
      const request = new Request("http://127.0.0.1/", { method: "POST", headers, body });
      const launch = parseLaunch(await readJson(request));
      const text = JSON.stringify(launch);
      const again = JSON.stringify(parseLaunch(JSON.parse(text)));
      if (again !== text || JSON.stringify(plainJson(launch)) !== text)
        throw new Error("what was accepted is not what was read");
    },
  },
  "image containers": { samples: [png, gif, webp], refusals: [ServiceError], run: formatOf },
  "PNG chunks": { samples: [png], refusals: [], run: pngPixels },
};

/** A sample with up to six places changed: bytes written over, removed, repeated or put in. */
function damaged(samples: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const change = fc.record({
    at: fc.nat(3_000),
    removed: fc.oneof(fc.constant(1), fc.nat(80)),
    put: fc.oneof(fc.uint8Array({ maxLength: 4 }), fc.uint8Array({ maxLength: 64 })),
  });
  return fc
    .tuple(fc.constantFrom(...samples), fc.array(change, { maxLength: 6 }))
    .map(([sample, changes]) =>
      changes.reduce<Uint8Array>((bytes, { at, removed, put }) => {
        const start = at % (bytes.length + 1);
        return Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(start + removed)]);
      }, sample),
    );
}

const seconds = Number(process.argv[2] ?? 60);
const each = (seconds * 1_000) / Object.keys(targets).length;
for (const [name, { samples, run, refusals }] of Object.entries(targets)) {
  let runs = 0;
  let slowest = 0;
  const input = fc.oneof(
    { weight: 9, arbitrary: damaged(samples) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 5_000 }) },
  );
  const property = fc.asyncProperty(input, async (bytes) => {
    runs++;
    const start = performance.now();
    try {
      await run(bytes);
    } catch (error) {
      if (!refusals.some((refusal) => error instanceof refusal)) throw error;
    }
    slowest = Math.max(slowest, performance.now() - start);
  });
  await fc.assert(property, { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: each });
  console.log(`${name}: ${runs} inputs, the slowest ${slowest.toFixed(1)} ms`);
}

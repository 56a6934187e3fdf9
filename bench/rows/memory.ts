import { start } from "../harness/contestant.ts";
import { tokend, withoutChain } from "../harness/contestants.ts";
import { ratio } from "../harness/figures.ts";
import {
  launchTokens,
  listRequests,
  manySessions,
  signInWallets,
} from "../harness/request-file.ts";
import type { Row, RowContext, RowResult } from "../harness/row.ts";
import { agentOf, seededDatabase } from "../harness/seed.ts";
import { load } from "../harness/wrk.ts";

const SEEDED = 100_000;
/** How long a server rests before its memory is read, in milliseconds. */
const REST_MS = 3_000;

/** Whether the server's memory stays bounded. */
export const memory: Row = { id: "memory", work: "memory: 1,000,000 requests", run };

async function run({ scale, say }: RowContext): Promise<RowResult> {
  const seeded = scale.quick ? 1_000 : SEEDED;
  const [few, many] = scale.quick ? [10_000, 20_000] : [100_000, 1_000_000];
  await using server = await start(withoutChain(tokend), await seededDatabase(seeded));
  const { url } = server;
  const counts = { polls: 0, lists: 0, launches: 0, "sign-ins": 0 };
  let total = 0;
  let cycles = 0;
  const until = async (requests: number) => {
    while (total < requests) {
      const prefix = `M${(cycles++).toString(36).toUpperCase().padStart(3, "0")}`;
      const runs = {
        polls: { script: "get", arguments: [await manySessions(seeded)] },
        lists: { script: "get", arguments: [await listRequests(seeded)] },
        launches: { script: "launch", arguments: [await launchTokens(agentOf(seeded)), prefix] },
        "sign-ins": { script: "sign-in", arguments: [signInWallets()] },
      } as const;
      for (const [kind, options] of Object.entries(runs)) {
        const { requests: made, completed } = await load({ ...options, url, seconds: 1 });
        counts[kind as keyof typeof counts] += completed || made;
        total += made;
      }
    }
    await Bun.sleep(REST_MS);
    say(`${total} requests`);
    return { requests: total, bytes: server.rss() };
  };
  const atStart = server.rss();
  const early = await until(few);
  const late = await until(many);

  const change = late.bytes / early.bytes;
  const megabytes = (bytes: number) => (bytes / 1024 ** 2).toFixed(0);
  return {
    goals: [
      {
        goal: "RSS after ≤ RSS after 100,000 + 10 %",
        reached: `${change >= 1 ? "+" : "−"} ${Math.abs((change - 1) * 100).toFixed(1)} %`,
        isReached: change <= 1.1,
      },
    ],
    figures: {
      columns: ["requests", "RSS MiB"],
      lines: [
        ["0", megabytes(atStart)],
        [early.requests.toLocaleString("en"), megabytes(early.bytes)],
        [late.requests.toLocaleString("en"), megabytes(late.bytes)],
      ],
    },
    notes: [
      `A mixture by turns of a second: ${Object.entries(counts)
        .map(([kind, count]) => `${count.toLocaleString("en")} ${kind}`)
        .join(", ")}; more sessions than the service remembers. Growth is ${ratio(change)} ×.`,
    ],
  };
}

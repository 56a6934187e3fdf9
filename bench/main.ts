/** `bun run bench`: measures the service beside its peers and its limits. */
import { installPeerPackages } from "./harness/peer-packages.ts";
import { describe, type Outcome, reportOf, writeResults } from "./harness/report.ts";
import { wrkVersion } from "./harness/wrk.ts";
import { parseOptions, USAGE } from "./options.ts";
import { rows } from "./rows.ts";

const words = process.argv.slice(2);

try {
  if (words.includes("--help")) {
    console.log(USAGE.replace("%rows", rows.map(({ id }) => id).join(", ")));
  } else {
    await measure();
  }
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

async function measure(): Promise<void> {
  const options = parseOptions(words, rows);
  wrkVersion();
  const peers = await installPeerPackages(options.scale.quick);
  for (const notice of peers.notices) console.error(notice);
  const say = (text: string) => console.error(`  ${text}`);
  const outcomes: Outcome[] = [];
  for (const row of options.rows) {
    console.error(`measuring ${row.id} …`);
    const outcome = { row, result: await row.run({ scale: options.scale, peers, say }) };
    outcomes.push(outcome);
    console.error(describe(outcome));
  }
  const command = ["bun run bench", ...words].join(" ");
  const report = reportOf(outcomes, { command, peerNotices: peers.notices });
  if (options.isWritten) writeResults(report);
  else console.log(report);
}

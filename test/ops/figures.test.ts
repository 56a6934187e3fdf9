import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openCluster } from "../../server/src/launchpad/meteora/testing/cluster.ts";
import {
  launch,
  openLaunchpad,
  SOL,
} from "../../server/src/launchpad/meteora/testing/launchpad.ts";
import {
  describeMeteora,
  ON_CHAIN_MS,
} from "../../server/src/launchpad/meteora/testing/programs.ts";
import { ROOT } from "../support/processes.ts";

setDefaultTimeout(ON_CHAIN_MS);

const page = readFileSync(join(ROOT, "docs/operating.md"), "utf8");

/** @returns the numbers in the row of a table of the operator's page */
function figuresOf(what: string): number[] {
  const row = page.split("\n").find((line) => line.startsWith(`| ${what} `));
  if (row === undefined) throw new Error(`no row ${what}`);
  const cells = row.split("|").slice(2, -1);
  return cells.flatMap((cell) => {
    const number = cell.trim().replaceAll(",", "");
    return /^[\d.]+$/.test(number) ? Number(number) : [];
  });
}

describeMeteora("the page says what the first day costs", () => {
  test.each([6_960n, 696n])("at %s lamports a byte", async (rentPerByte) => {
    const cluster = await openCluster({ rentPerByte });
    const { connection } = cluster;
    const balance = () => connection.getBalance(wallet);
    const launchpad = await openLaunchpad(cluster);
    const wallet = launchpad.launchWallet.publicKey;
    const afterConfig = await balance();
    const { ref } = await launch(launchpad, cluster.wallet(SOL).publicKey, {
      name: "A".repeat(32),
      ticker: "A".repeat(10),
    });
    // The mint's address is in the metadata's link, and has 44 characters at most.
    const shorter = (44 - ref.tokenMint.length) * Number(rentPerByte);
    const measured = {
      "`tokend config create`": Number(10n * SOL) - afterConfig,
      "a launch": afterConfig - (await balance()) + shorter,
    };
    console.log(`lamports at ${rentPerByte} a byte:`, JSON.stringify(measured));
    const column = rentPerByte === 6_960n ? 0 : 1;
    for (const [what, lamports] of Object.entries(measured)) {
      expect([what, figuresOf(what)[column]]).toEqual([what, lamports]);
    }
  });
});

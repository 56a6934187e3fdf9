import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { settingsPage } from "../../scripts/settings-page.ts";
import { SETTINGS } from "../../server/src/config/settings.ts";
import { ROOT } from "../support/processes.ts";

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

test("docs/settings.md says what the table of settings says", () => {
  expect(read("docs/settings.md"), "run `bun scripts/settings-page.ts`").toBe(settingsPage());
});

test("the sample of settings names no setting that does not exist", () => {
  const sample = [...read("ops/tokend.env.example").matchAll(/^#?([A-Z_]+)=/gm)];
  const names = sample.map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(10);
  // libpq's own.
  expect(names.filter((name) => !(name in SETTINGS) && name !== "PGPASSWORD")).toEqual([]);
});

import { expect, test } from "bun:test";
import { readConfig } from "../../config/config.ts";
import { checkAll } from "../doctor.ts";
import type { Finding } from "./finding.ts";

/** @returns the findings by subject for a server of a real cluster that cannot be reached */
async function findings(env: Record<string, string>): Promise<Record<string, Finding>> {
  const config = readConfig({
    DATA_DIR: "/nonexistent",
    CHAIN: "solana",
    RPC_URL: "http://127.0.0.1:9",
    LAUNCH_KEYPAIR: "/nonexistent/launch.json",
    DBC_CONFIG: "11111111111111111111111111111111",
    PUBLIC_URL: "https://tokens.invalid",
    ...env,
  });
  const all: Record<string, Finding> = {};
  for await (const finding of checkAll(config, {})) all[finding.subject] = finding;
  return all;
}

test("the doctor says the most that a day can cost", async () => {
  const { spending } = await findings({ MAX_DAILY_SPEND_SOL: "2.5" });
  expect(spending).toEqual({
    verdict: "ok",
    subject: "spending",
    text: "launches can take at most 2.5 SOL a day",
  });
});

test("the doctor warns if nothing limits what a day can cost, and names the limits that remain", async () => {
  const { spending } = await findings({ MAX_DAILY_SPEND_SOL: "unlimited" });
  expect(spending).toMatchObject({
    verdict: "warning",
    text: expect.stringContaining("a network address 10 launches (MAX_LAUNCHES_PER_ADDRESS)"),
  });
  const env = { MAX_DAILY_SPEND_SOL: "unlimited", MAX_LAUNCHES_PER_ADDRESS: "0" };
  expect((await findings(env)).spending).toMatchObject({
    verdict: "warning",
    text: expect.stringContaining("a network address any number (MAX_LAUNCHES_PER_ADDRESS=0)"),
  });
});

test("the doctor warns if all clients seem to have the proxy's address", async () => {
  const env = { MAX_DAILY_SPEND_SOL: "1" };
  expect((await findings(env)).addresses).toMatchObject({
    verdict: "warning",
    text: expect.stringContaining("TRUST_PROXY"),
  });
  expect((await findings({ ...env, TRUST_PROXY: "true" })).addresses).toMatchObject({
    verdict: "ok",
  });
});

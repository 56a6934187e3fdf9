import { expect, test } from "bun:test";
import { ClaimTickets, TICKET_SECONDS } from "./repeats.ts";

const PREVIEWED = {
  tokenMint: "mint",
  ticker: "MINE",
  claimableLamports: 10_000n,
  maxCostLamports: 5_000n,
  paidLamports: 0n,
};

test("a claim token is good for five minutes, and stays used once it is used", () => {
  let now = 0;
  const tickets = new ClaimTickets(() => now);
  const [unused, used] = [tickets.issue(PREVIEWED), tickets.issue(PREVIEWED)];
  now = TICKET_SECONDS * 1000 - 1;
  expect(tickets.find(unused, "mint")).toMatchObject(PREVIEWED);
  tickets.find(used, "mint").claim = new Promise(() => {});
  now++;
  expect(() => tickets.find(unused, "mint")).toThrow("The claimToken has expired");
  expect(tickets.find(used, "mint").claim).toBeDefined();
});

test("of many claim tokens the oldest are forgotten", () => {
  const tickets = new ClaimTickets(() => 0);
  const tokens = Array.from({ length: 1_001 }, () => tickets.issue(PREVIEWED));
  expect(() => tickets.find(tokens[0] ?? "", "mint")).toThrow("The claimToken is unknown");
  expect(tickets.find(tokens[1] ?? "", "mint")).toMatchObject(PREVIEWED);
});

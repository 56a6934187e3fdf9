import { expect, test } from "bun:test";
import { ClaimTickets, TICKET_SECONDS } from "./claim-tickets.ts";

const PREVIEWED = {
  tokenMint: "mint",
  ticker: "MINE",
  claimableLamports: 10_000n,
  maxCostLamports: 5_000n,
  paidLamports: 0n,
};

test("a claim token is good for five minutes", async () => {
  let now = 0;
  const tickets = new ClaimTickets<string>(() => now);
  const token = tickets.issue(PREVIEWED);
  now = TICKET_SECONDS * 1000 - 1;
  expect(tickets.check(token, "mint")).toMatchObject(PREVIEWED);
  now++;
  expect(() => tickets.check(token, "mint")).toThrow("The claimToken has expired");
});

test("a claim token makes one claim, and its repeat has the same outcome, also later", async () => {
  let now = 0;
  let claims = 0;
  const tickets = new ClaimTickets<number>(() => now);
  for (const outcome of ["paid", "failed"]) {
    const token = tickets.issue(PREVIEWED);
    const claim = async () => {
      claims++;
      if (outcome === "failed") throw new Error("the chain refused it");
      return claims;
    };
    const use = () => tickets.use(token, "mint", claim).catch((error: Error) => error.message);
    const first = await use();
    now += 2 * TICKET_SECONDS * 1000;
    expect(await use()).toBe(first);
  }
  expect(claims).toBe(2);
});

test("of many claim tokens the oldest are forgotten", () => {
  const tickets = new ClaimTickets<string>(() => 0);
  const tokens = Array.from({ length: 1_001 }, () => tickets.issue(PREVIEWED));
  expect(() => tickets.check(tokens[0] ?? "", "mint")).toThrow("The claimToken is unknown");
  expect(tickets.check(tokens[1] ?? "", "mint")).toMatchObject(PREVIEWED);
});

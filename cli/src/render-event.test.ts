import { expect, test } from "bun:test";
import stringWidth from "string-width";
import { type EventData, eventLines } from "./render-event.ts";
import { createStyle } from "./style.ts";
import { MINT } from "./testing/records.ts";

const style = createStyle(false, {});
const data = {
  eventId: "9b2e2c3e-0d4f-4a57-9f0c-5f0d1e2a3b4c",
  ticker: "LONGTICKER",
  tokenMint: MINT,
  tokenMints: [MINT],
  transactionHash: "h".repeat(88),
};
const id = { id: 12_345, timestamp: "2026-11-21T09:30:00.123Z" };
const event: EventData = { ...id, type: "launch.rate_limited", data };
const paid: EventData = { ...id, type: "claim.confirmed", data, claimedSOL: 12_345.000000001 };
const small: EventData = { ...paid, claimedSOL: 0.5 };

const launched: EventData = {
  ...id,
  type: "launch.succeeded",
  data: { ...data, payer: "agent", costSOL: 0.011890721 },
};

test.each([40, 60, 80, 100, 200])("events fit a terminal of %d columns", (width) => {
  for (const one of [event, paid, small, launched]) {
    const lines = eventLines(one, style, width);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    expect(lines.join(" ")).toContain(`${one.type}`);
    expect(lines.join(" ")).toContain("LONGTICKER");
    expect(lines[0]).toStartWith(width < 60 ? "09:30:00Z  " : "2026-11-21 09:30:00Z  ");
  }
});

test("an event keeps its amount in every terminal, and all of it in a pipe", () => {
  for (const width of [40, 80, null]) {
    expect(eventLines(small, style, width).join("\n")).toContain("0.5 SOL");
    expect(eventLines(launched, style, width).join("\n")).toContain("cost 0.011890721 SOL");
  }
  const whole = `2026-11-21T09:30:00.123Z  12345  claim.confirmed      LONGTICKER  ${"h".repeat(88)}  0.5 SOL`;
  expect(eventLines(small, style, null)).toEqual([whole]);
});

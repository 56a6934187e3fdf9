import { expect, test } from "bun:test";
import { hrefs, parseRoute } from "./router.ts";

const mint = "So11111111111111111111111111111111111111112";
const eventId = "0d4a5b1e-6f3c-4e38-9d1e-1f8f0c3a7b21";

test("every screen's address leads back to it", () => {
  expect(parseRoute(hrefs.tokens)).toEqual({ screen: "tokens" });
  expect(parseRoute(hrefs.launch)).toEqual({ screen: "launch" });
  expect(parseRoute(hrefs.activity)).toEqual({ screen: "activity" });
  expect(parseRoute(hrefs.settings)).toEqual({ screen: "settings" });
  expect(parseRoute(hrefs.token(mint))).toEqual({ screen: "token", mint });
  expect(parseRoute(hrefs.status(eventId))).toEqual({ screen: "status", eventId });
});

test.each(["", "#", "#/", "#main"])("the address %p leads to the tokens", (hash) =>
  expect(parseRoute(hash)).toEqual({ screen: "tokens" }),
);

test.each(["#/nowhere", "#/token/", "#/token/../x", "#/token/0OIl", "#/launch/<script>"])(
  "the address %p leads nowhere, and the page says so",
  (hash) => expect(parseRoute(hash)).toEqual({ screen: "unknown" }),
);

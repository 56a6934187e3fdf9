import { expect, test } from "bun:test";
import { hrefs } from "./data/page.ts";
import { parseRoute } from "./router.ts";

const mint = "So11111111111111111111111111111111111111112";
const eventId = "0d4a5b1e-6f3c-4e38-9d1e-1f8f0c3a7b21";

const parse = (href: string) => {
  const { hash, pathname } = new URL(href, `http://localhost${hrefs.start}`);
  return parseRoute(hash, pathname);
};

test("every screen's address leads back to it", () => {
  expect(parse(hrefs.shared(mint))).toEqual({ screen: "shared", mint });
  expect(parse(hrefs.start)).toEqual({ screen: "start" });
  expect(parse(hrefs.agent(mint))).toEqual({ screen: "agent", wallet: mint });
  expect(parse(hrefs.tokens)).toEqual({ screen: "tokens" });
  expect(parse(hrefs.launch)).toEqual({ screen: "launch" });
  expect(parse(hrefs.activity)).toEqual({ screen: "activity" });
  expect(parse(hrefs.settings)).toEqual({ screen: "settings" });
  expect(parse(hrefs.token(mint))).toEqual({ screen: "token", mint });
  expect(parse(hrefs.status(eventId))).toEqual({ screen: "status", eventId });
});

test.each(["", "#", "#/", "#main", "#tokens-list"])("the address %p leads to the start", (hash) =>
  expect(parseRoute(hash)).toEqual({ screen: "start" }),
);

test.each([
  "t/0OIl",
  "t/",
  "else",
  "#/nowhere",
  "#/token/",
  "#/token/../x",
  "#/token/0OIl",
  "#/launch/<script>",
])("the address %p leads nowhere, and the page says so", (address) =>
  expect(parse(address)).toEqual({ screen: "unknown" }),
);

import { expect, test } from "bun:test";
import { mintAddress, ok, paidClaim, thrown, useScriptedServer } from "../test/client-fixtures.ts";
import { InvalidArgumentError, InvalidResponseError } from "./errors.ts";

const scripted = useScriptedServer();
const PATH = "/api/v1/tokens/claims/history";
/** More lamports than a double holds exactly. */
const HUGE = "12345678901234567891";

async function lamports(claims: AsyncIterable<{ claimedLamports: string }>): Promise<string[]> {
  const read: string[] = [];
  for await (const { claimedLamports } of claims) read.push(claimedLamports);
  return read;
}

test("the history is read from page after page, to the lamport", async () => {
  scripted.server.script(
    PATH,
    ok({ claims: [paidClaim("3"), paidClaim(HUGE)], nextCursor: "next" }),
    ok({ claims: [paidClaim("1")] }),
  );
  const options = { token: mintAddress, from: "2026-01-01" };
  const read = await lamports(scripted.client().claimHistory(options));
  expect(read).toEqual(["3", HUGE, "1"]);
  const query = `limit=500&token=${mintAddress}&from=2026-01-01`;
  expect(scripted.server.to(PATH).map(({ path }) => path)).toEqual([
    `${PATH}?${query}`,
    `${PATH}?limit=500&cursor=next&token=${mintAddress}&from=2026-01-01`,
  ]);
});

test("who stops reading asks for no further page", async () => {
  scripted.server.script(PATH, ok({ claims: [paidClaim("1")], nextCursor: "next" }));
  for await (const _ of scripted.client().claimHistory()) break;
  expect(scripted.server.to(PATH)).toHaveLength(1);
});

test.each([
  ["the same cursor each time", { claims: [paidClaim("1")], nextCursor: "same" }],
  ["empty pages", { claims: [], nextCursor: "next" }],
  ["lamports that are no number", { claims: [{ ...paidClaim("1"), claimedLamports: "0x1" }] }],
  ["lamports without an end", { claims: [paidClaim("9".repeat(40))] }],
])("a server that answers %s is refused", async (_, answer) => {
  scripted.server.script(PATH, ok(answer));
  const error = await thrown(lamports(scripted.client().claimHistory()));
  expect(error).toBeInstanceOf(InvalidResponseError);
});

test("a token that is no address and a Date that is none are refused before a request", async () => {
  for (const options of [{ token: "../launch" }, { from: new Date(Number.NaN) }]) {
    const error = await thrown(lamports(scripted.client().claimHistory(options)));
    expect(error).toBeInstanceOf(InvalidArgumentError);
  }
  expect(scripted.server.seen).toEqual([]);
});

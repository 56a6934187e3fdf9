import { beforeAll, expect, test } from "bun:test";
import { ErrorBodySchema } from "@tokenctl/shared/contract/error";
import { HealthSchema } from "@tokenctl/shared/contract/service";
import { errorCodes, isErrorCode } from "@tokenctl/shared/error-codes";
import { errorsPage } from "../../scripts/errors-page.ts";
import { NO_SANDBOX, testApp } from "../../server/src/testing/test-app.ts";
import { differsFromTable, expectShape } from "../support/agent.ts";
import { FailingServer } from "../support/failing-server.ts";
import { provocations } from "../support/provocations.ts";

/** The `code` of each status that each published operation lists. */
let published: Map<string, Record<string, readonly string[]>>;
beforeAll(async () => {
  const app = await testApp(NO_SANDBOX);
  const answer = await app.send("GET", "/openapi/json", { wallet: null });
  app[Symbol.dispose]();
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Published>> };
  published = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => [
        `${method.toUpperCase()} ${path}`,
        Object.fromEntries(
          Object.entries(responses).map(([status, { content }]) => [
            status,
            codesOf(content?.["application/json"]?.schema),
          ]),
        ),
      ]),
    ),
  );
});

interface Published {
  readonly responses: Record<string, { content?: { "application/json"?: { schema: unknown } } }>;
}

/** @returns the codes of an error's schema; none for another schema */
function codesOf(schema: unknown): readonly string[] {
  const { allOf } = (schema ?? {}) as { allOf?: { properties?: { code?: { enum: string[] } } }[] };
  return allOf?.flatMap(({ properties }) => properties?.code?.enum ?? []) ?? [];
}

test.each(Object.keys(errorCodes).filter(isErrorCode))(
  "%s is answered as the table and the published operation say",
  async (code) => {
    const { operation, provoke, env } = provocations[code];
    await using server = await FailingServer.start(env);
    const answer = await provoke(server);
    const body = (await answer.json()) as { code: string; error: string };
    expect([body.code, differsFromTable(answer.status, body)]).toEqual([code, null]);
    expectShape(code === "unhealthy" ? HealthSchema : ErrorBodySchema, body);
    const listed = operation === null ? [code] : published.get(operation)?.[answer.status];
    expect(listed).toContain(code);
  },
);

test("published operations list every code but that of a wrong method, each under its status", () => {
  const listed = new Set<string>();
  for (const [operation, statuses] of published) {
    for (const [status, codes] of Object.entries(statuses)) {
      for (const code of codes) {
        const expected = isErrorCode(code) ? errorCodes[code].status : "no code of the table";
        expect([operation, code, status]).toEqual([operation, code, String(expected)]);
        listed.add(code);
      }
    }
  }
  const unpublished = Object.keys(errorCodes).filter((code) => !listed.has(code));
  expect(unpublished.toSorted()).toEqual(["method_not_allowed"]);
});

test("docs/errors.md is the table", async () => {
  const page = await Bun.file(new URL("../../docs/errors.md", import.meta.url)).text();
  expect(page, "run `bun scripts/errors-page.ts`").toBe(errorsPage());
});

import { expect, test } from "bun:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { NO_SANDBOX, testApp } from "../../server/src/testing/test-app.ts";

const CONTRACT = {
  slash: "/api/v1/tokens/",
  // Beside `/api/v1/tokens/launch/status/{eventId}`.
  ambiguous: ["cancel", "retry", "transaction"].map(
    (step) => `/api/v1/tokens/launch/{eventId}/${step}`,
  ),
};

// The library of the command-line program: it sends no usage data and looks for no updates.
test("Redocly's rules find nothing in the document but paths of the contract", async () => {
  using app = await testApp(NO_SANDBOX);
  const answer = await app.send("GET", "/openapi/json", { wallet: null });
  const rules = { "operation-tag-defined": "error", "parameter-description": "error" } as const;
  const problems = await lintFromString({
    source: await answer.text(),
    absoluteRef: "/openapi.json",
    config: await createConfig({ extends: ["recommended"], rules }),
  });
  const found = problems.map(({ ruleId, location }) => {
    const path = location[0]?.pointer?.replace("#/paths/", "").replaceAll("~1", "/");
    return `${ruleId}: ${path}`;
  });
  expect(found.toSorted()).toEqual([
    ...CONTRACT.ambiguous.map((path) => `no-ambiguous-paths: ${path}`),
    `no-path-trailing-slash: ${CONTRACT.slash}`,
  ]);
});

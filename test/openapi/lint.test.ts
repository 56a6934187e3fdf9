import { expect, test } from "bun:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Document, type RulesetDefinition, Spectral } from "@stoplight/spectral-core";
import { Json } from "@stoplight/spectral-parsers";
import { oas } from "@stoplight/spectral-rulesets";
import { servedDocument } from "./document.ts";

const CONTRACT = {
  slash: "/api/v1/tokens/",
  // Beside `/api/v1/tokens/launch/status/{eventId}`.
  ambiguous: ["cancel", "retry", "transaction"].map(
    (step) => `/api/v1/tokens/launch/{eventId}/${step}`,
  ),
};

// The libraries of their command-line programs: these send no usage data and look for no updates.
test("Redocly's recommended rules find nothing in the document but paths of the contract", async () => {
  const problems = await lintFromString({
    source: await servedDocument(),
    absoluteRef: "/openapi.json",
    config: await createConfig({ extends: ["recommended"] }),
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

test("Spectral's rules find nothing in the document but a path of the contract", async () => {
  // Its types say that every ruleset extends another.
  const ruleset = oas as unknown as RulesetDefinition;
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[ruleset, "recommended"]] });
  const document = new Document(await servedDocument(), Json, "openapi.json");
  const found = (await spectral.run(document)).map(
    ({ code, path }) => `${code}: ${path.join(" ")}`,
  );
  expect(found).toEqual([`path-keys-no-trailing-slash: paths ${CONTRACT.slash}`]);
});

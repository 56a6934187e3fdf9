import { expect, test } from "bun:test";
import { metadataUri } from "./launch.ts";

test("a metadata address has one slash after the public URL", () => {
  const mint = "So11111111111111111111111111111111111111112";
  const uri = `https://tokens.example/api/metadata/${mint}.json`;
  expect(metadataUri("https://tokens.example/api", mint)).toBe(uri);
  expect(metadataUri("https://tokens.example/api/", mint)).toBe(uri);
});

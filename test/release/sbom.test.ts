import { expect, test } from "bun:test";
import { shippedPackages, toCycloneDx } from "../../scripts/release/sbom.ts";
import { ROOT } from "../support/processes.ts";

test("the bill of materials names every package with its licence and hash", () => {
  const integrity = `sha512-${Buffer.alloc(64, 7).toString("base64")}`;
  const packages = [
    { name: "@a/one", version: "1.0.0", license: "MIT", integrity },
    { name: "two", version: "2.0.0", integrity },
  ];
  const bom = JSON.parse(toCycloneDx("1.2.0", packages));
  expect(bom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6" });
  expect(bom.metadata.component).toMatchObject({ name: "tokenctl", version: "1.2.0" });
  expect(bom.components).toHaveLength(3);
  expect(bom.components).toContainEqual(
    expect.objectContaining({ name: "bun", version: Bun.version, type: "platform" }),
  );
  expect(toCycloneDx("1.2.0", packages)).toBe(toCycloneDx("1.2.0", packages));
  expect(bom.components).toContainEqual(
    expect.objectContaining({
      group: "@a",
      name: "one",
      version: "1.0.0",
      purl: "pkg:npm/%40a/one@1.0.0",
      licenses: [{ expression: "MIT" }],
      hashes: [{ alg: "SHA-512", content: Buffer.alloc(64, 7).toString("hex") }],
    }),
  );
});

test("what the artefacts hold is listed, and nothing else", async () => {
  const packages = await shippedPackages(ROOT);
  const names = packages.map(({ name }) => name);
  for (const name of [
    ...["elysia", "@elysiajs/jwt", "@sinclair/typebox", "drizzle-orm", "@solana/web3.js", "bs58"],
    ...["commander", "ora", "undici", "tweetnacl", "@noble/ed25519", "preact"],
  ]) {
    expect(names).toContain(name);
  }
  const addon = packages.find(({ name }) => name === "litesvm-darwin-arm64");
  expect(addon?.license).toBe("MIT");
  for (const name of [
    "typescript",
    "@biomejs/biome",
    "knip",
    "fast-check",
    "rpc-websockets",
    "chain",
  ]) {
    expect(names).not.toContain(name);
  }
  for (const { integrity } of packages) expect(integrity).toStartWith("sha512-");
}, 300_000);

import { describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import bs58 from "bs58";
import { tempDir } from "../testing/temp-dir.ts";
import { KeypairFileError, permissionWarning, readKeypairFile } from "./keypair-file.ts";

/** Reads a file of this content. */
function read(content: string) {
  using dir = tempDir();
  const path = join(dir.path, "id.json");
  writeFileSync(path, content);
  try {
    return readKeypairFile(path).publicKey.toBase58();
  } catch (error) {
    if (!(error instanceof KeypairFileError)) throw error;
    return Bun.inspect(error).replaceAll(path, "FILE");
  }
}

const keypair = Keypair.generate();
const bytes = [...keypair.secretKey];

test("default: the Solana CLI's format", () => {
  expect(read(JSON.stringify(bytes))).toBe(keypair.publicKey.toBase58());
});

test("behavior: base58, and white space around", () => {
  expect(read(`\n ${bs58.encode(keypair.secretKey)}\n`)).toBe(keypair.publicKey.toBase58());
});

describe("behavior: what is wrong is told, what is in it is not", () => {
  const other = [...bytes.slice(0, 32), ...Keypair.generate().publicKey.toBytes()];
  const cases = [
    { what: "nothing", content: "", problem: "holds 0 bytes, where a keypair has 64" },
    { what: "half a key", content: JSON.stringify(bytes.slice(0, 32)), problem: "holds 32 bytes" },
    { what: "no bytes", content: JSON.stringify([...bytes.slice(1), 256]), problem: "is neither" },
    { what: "broken JSON", content: JSON.stringify(bytes).slice(0, -1), problem: "is neither" },
    { what: "JSON of another kind", content: '{"key":1}', problem: "is neither" },
    { what: "no base58", content: "0OIl", problem: "is neither" },
    { what: "a foreign public key", content: JSON.stringify(other), problem: "holds a public key" },
    { what: "a large file", content: "1".repeat(5000), problem: "is too large" },
  ];
  for (const { what, content, problem } of cases) {
    test(what, () => {
      const shown = read(content);
      expect(shown).toContain(`Keypair file FILE ${problem}`);
      if (content.length > 4) expect(shown).not.toContain(content.slice(0, 40));
    });
  }

  test("a file that is not there", () => {
    expect(() => readKeypairFile("/nowhere/id.json")).toThrow(
      "Keypair file /nowhere/id.json cannot be read (ENOENT)",
    );
  });
});

test("permissionWarning", () => {
  using dir = tempDir();
  const path = join(dir.path, "id.json");
  writeFileSync(path, "", { mode: 0o600 });
  expect(permissionWarning(path)).toBeNull();
  chmodSync(path, 0o644);
  expect(permissionWarning(path)).toBe(
    `${path} can be read by others (mode 644): run chmod 600 ${path}`,
  );
});

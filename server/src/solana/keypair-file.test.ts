import { describe, expect, test } from "bun:test";
import { chmodSync, chownSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import bs58 from "bs58";
import { tempDir } from "../testing/temp-dir.ts";
import { KeypairFileError, keypairExposure, readKeypairFile } from "./keypair-file.ts";

/** Reads a file of this content. */
function read(content: string) {
  using dir = tempDir();
  const path = join(dir.path, "id.json");
  writeFileSync(path, content, { mode: 0o600 });
  try {
    return readKeypairFile(path).publicKey.toBase58();
  } catch (error) {
    if (!(error instanceof KeypairFileError)) throw error;
    return Bun.inspect(error).replaceAll(path, "FILE");
  }
}

const keypair = Keypair.generate();
const bytes = [...keypair.secretKey];

test("the Solana CLI's format", () => {
  expect(read(JSON.stringify(bytes))).toBe(keypair.publicKey.toBase58());
});

test("base58, and white space around", () => {
  expect(read(`\n ${bs58.encode(keypair.secretKey)}\n`)).toBe(keypair.publicKey.toBase58());
});

describe("what is wrong is told, what is in it is not", () => {
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

/** A keypair file with this mode; `FILE` stands for it in what it is refused with. */
function refusal(mode: number, owner?: number): string | null {
  using dir = tempDir();
  const path = join(dir.path, "id.json");
  writeFileSync(path, JSON.stringify(bytes));
  chmodSync(path, mode);
  if (owner !== undefined) chownSync(path, owner, owner);
  const link = join(dir.path, "link");
  symlinkSync(path, link);
  try {
    readKeypairFile(link);
    return null;
  } catch (error) {
    if (!(error instanceof KeypairFileError)) throw error;
    return error.message.replaceAll(link, "FILE");
  }
}

test.each([0o400, 0o600, 0o700])("a keypair of mode %o is its owner's alone", (mode) => {
  expect(refusal(mode)).toBeNull();
});

test.each([0o604, 0o602, 0o644, 0o666])(
  "a keypair that others can open (mode %o) is refused, with the way out, behind a link too",
  (mode) => {
    expect(refusal(mode)).toBe(
      `Keypair file FILE is open to other users of this machine (mode ${mode.toString(8)}). ` +
        "If nobody else has seen it, run chmod 600 FILE.",
    );
  },
);

test.skipIf(process.geteuid?.() !== 0)("another user's keypair is refused", () => {
  expect(refusal(0o600, 12_345)).toContain("belongs to another user (uid 12345)");
});

test("whose a keypair may be, and who may open it", () => {
  const asked = (mode: number, uid: number, gid: number) =>
    keypairExposure("FILE", { mode, uid, gid }, 1000) === null;
  expect(asked(0o400, 1000, 1000)).toBe(true);
  // systemd's LoadCredential: of the user, or of root with an access list for the user.
  expect(asked(0o400, 0, 0)).toBe(true);
  expect(asked(0o440, 0, 0)).toBe(true);
  expect(asked(0o440, 0, 1000)).toBe(false);
  expect(asked(0o440, 1000, 1000)).toBe(false);
  expect(asked(0o460, 0, 0)).toBe(false);
  expect(asked(0o444, 0, 0)).toBe(false);
  expect(asked(0o400, 1001, 1000)).toBe(false);
});

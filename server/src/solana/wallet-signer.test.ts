import { describe, expect, test } from "bun:test";
import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import bs58 from "bs58";
import { tempDir } from "../testing/temp-dir.ts";
import { KeypairFileError, keypairExposure, readKeypairFile } from "./wallet-signer.ts";

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

test("a keypair file has the Solana CLI's format", () => {
  expect(read(JSON.stringify(bytes))).toBe(keypair.publicKey.toBase58());
});

test("a keypair file may hold base58, with white space around it", () => {
  expect(read(`\n ${bs58.encode(keypair.secretKey)}\n`)).toBe(keypair.publicKey.toBase58());
});

describe("a keypair file is refused by what is wrong, without repeating its content, if it", () => {
  const other = [...bytes.slice(0, 32), ...Keypair.generate().publicKey.toBytes()];
  const cases = [
    { what: "is empty", content: "", problem: "is empty" },
    {
      what: "holds broken JSON",
      content: JSON.stringify(bytes).slice(0, -1),
      problem: "starts like",
    },
    {
      what: "holds another key's public half",
      content: JSON.stringify(other),
      problem: "holds a public key",
    },
    { what: "is too large", content: "1".repeat(5000), problem: "is too large" },
  ];
  for (const { what, content, problem } of cases) {
    test(what, () => {
      const shown = read(content);
      expect(shown).toContain(`Keypair file FILE ${problem}`);
      if (content.length > 4) expect(shown).not.toContain(content.slice(0, 40));
    });
  }

  test("does not exist", () => {
    expect(() => readKeypairFile("/nowhere/id.json")).toThrow(
      "Keypair file /nowhere/id.json cannot be read (ENOENT)",
    );
    // Docker makes a folder of what it should mount and does not find.
    expect(() => readKeypairFile("/usr")).toThrow("Keypair file /usr is not a regular file");
  });
});

test("a keypair file that others can open is refused with the command that helps, behind a link too", () => {
  using dir = tempDir();
  const path = join(dir.path, "id.json");
  writeFileSync(path, JSON.stringify(bytes));
  chmodSync(path, 0o644);
  const link = join(dir.path, "link");
  symlinkSync(path, link);
  expect(() => readKeypairFile(link)).toThrow(
    `Keypair file ${link} is open to other users of this machine (mode 644). ` +
      `If no other user has read it, run chmod 600 ${link}.`,
  );
});

test("a keypair file may belong to this user, or to root with an access list for this user", () => {
  const isAccepted = (mode: number, uid: number, gid: number) =>
    keypairExposure("FILE", { mode, uid, gid }, 1000) === null;
  expect(isAccepted(0o400, 1000, 1000)).toBe(true);
  // systemd's LoadCredential: owned by the user, or by root with an access list for the user.
  expect(isAccepted(0o440, 0, 0)).toBe(true);
  expect(isAccepted(0o440, 0, 1000)).toBe(false);
  expect(isAccepted(0o440, 1000, 1000)).toBe(false);
  expect(isAccepted(0o460, 0, 0)).toBe(false);
  expect(isAccepted(0o444, 0, 0)).toBe(false);
  expect(isAccepted(0o400, 1001, 1000)).toBe(false);
});

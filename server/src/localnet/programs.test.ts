import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { PublicKey } from "@solana/web3.js";
import { noteMissing } from "../testing/find-program.ts";
import { LocalChain } from "./chain.ts";
import { loadPrograms, METEORA_PROGRAMS, programsFolder, pullPrograms } from "./programs.ts";
import { localConnection, openTestChain, SlotClock, SOL } from "./testing/local-chain.ts";

const LOADER = new PublicKey("BPFLoaderUpgradeab1e11111111111111111111111");
const ELF = [0x7f, 0x45, 0x4c, 0x46];

const cached = await loadPrograms(programsFolder(process.env));
if (cached.missing.length > 0) noteMissing("Meteora's programs");

const print = () => {};
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "programs-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

function clusterWith(elf: Uint8Array) {
  const { chain } = openTestChain();
  for (const { programId } of METEORA_PROGRAMS) {
    const dataAddress = PublicKey.unique();
    const data = Uint8Array.from([2, 0, 0, 0, ...dataAddress.toBytes()]);
    chain.setAccount(programId, { lamports: SOL, owner: LOADER, data });
    const header = [3, 0, 0, 0, ...new Uint8Array(41).fill(7)];
    const programData = Uint8Array.from([...header, ...elf]);
    chain.setAccount(dataAddress, { lamports: SOL, owner: LOADER, data: programData });
  }
  return localConnection(chain);
}

describe("programsFolder", () => {
  test("is in the user's cache, unless the environment names another", () => {
    expect(programsFolder({})).toBe(join(homedir(), ".cache/tokend/programs"));
    expect(programsFolder({ XDG_CACHE_HOME: "/c" })).toBe("/c/tokend/programs");
    expect(programsFolder({ XDG_CACHE_HOME: "/c", LOCALNET_PROGRAMS: "/p" })).toBe("/p");
    expect(programsFolder({ LOCALNET_PROGRAMS: "" })).toBe(programsFolder({}));
  });
});

describe("loadPrograms", () => {
  test("loads the programs that are there and names the missing ones", () => {
    writeFileSync(join(folder, "cp_amm.so"), Uint8Array.from([...ELF, 1]));
    const { programs, missing } = loadPrograms(folder);
    expect(programs.map(({ programId }) => programId.toBase58())).toEqual([
      "cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG",
    ]);
    expect(missing).toEqual(["dynamic_bonding_curve.so", "metaplex.so"]);
    expect(loadPrograms(join(folder, "none")).programs).toEqual([]);
  });

  test("refuses a file that is not a program", () => {
    writeFileSync(join(folder, "metaplex.so"), "<html>");
    expect(() => loadPrograms(folder)).toThrow("is not a program");
  });
});

describe("pullPrograms", () => {
  test("writes the programs' data without its header and no other file", async () => {
    const elf = Uint8Array.from([...ELF, 1, 2, 3, 0, 0]);
    const printed: string[] = [];
    const target = join(folder, "new");
    await pullPrograms(clusterWith(elf), target, (line) => printed.push(line));
    expect(readdirSync(target).toSorted()).toEqual(
      METEORA_PROGRAMS.map(({ file }) => file).toSorted(),
    );
    const sha256 = new Bun.CryptoHasher("sha256").update(elf).digest("hex");
    const paths = METEORA_PROGRAMS.map(({ file }) => join(target, file));
    for (const path of paths) expect(readFileSync(path)).toEqual(Buffer.from(elf));
    expect(printed).toEqual(paths.map((path) => `${path}  9 bytes  sha256 ${sha256}`));
    expect(loadPrograms(target).missing).toEqual([]);
  });

  test("changes no file if the cluster does not have the program", async () => {
    const [first] = METEORA_PROGRAMS;
    const path = join(folder, first?.file ?? "");
    writeFileSync(path, Uint8Array.from([...ELF, 9]));
    const nothing = localConnection(openTestChain().chain);
    expect(pullPrograms(nothing, folder, print)).rejects.toThrow("the cluster");
    expect(pullPrograms(clusterWith(Uint8Array.of(1, 2)), folder, print)).rejects.toThrow(
      "not an ELF",
    );
    expect(readFileSync(path)).toEqual(Buffer.from([...ELF, 9]));
    expect(readdirSync(folder)).toEqual([first?.file ?? ""]);
  });
});

describe.skipIf(cached.missing.length > 0)("the real programs", () => {
  test("load, are executable, and come back unchanged when pulled from the chain", async () => {
    const { programs } = cached;
    const chain = LocalChain.open({ ledgerPath: ":memory:", clock: new SlotClock(), programs });
    const connection = localConnection(chain);
    await pullPrograms(connection, folder, print);
    for (const [index, { programId, bytes }] of programs.entries()) {
      expect((await connection.getAccountInfo(programId))?.executable).toBe(true);
      const file = METEORA_PROGRAMS[index]?.file ?? "";
      expect(readFileSync(join(folder, file)).equals(bytes)).toBe(true);
    }
  });
});

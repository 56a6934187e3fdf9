import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Keypair } from "@solana/web3.js";
import { generateKeypair } from "../../server/src/base/native-keys.ts";

export interface KeypairFile {
  readonly path: string;
  readonly keypair: Keypair;
  readonly address: string;
}

export function writeKeypairFile(folder: string, name = "launch.json"): KeypairFile {
  const keypair = generateKeypair();
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify([...keypair.secretKey]), { mode: 0o600 });
  return { path, keypair, address: keypair.publicKey.toBase58() };
}

import { existsSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { writeDurably } from "../base/files.ts";
import { generateKeypair } from "../base/native-keys.ts";

export function keygen(path: string): void {
  if (!existsSync(dirname(path))) throw new Error(`There is no folder ${dirname(path)}: make it.`);
  const { secretKey, publicKey } = generateKeypair();
  const text = `${JSON.stringify(Array.from(secretKey))}\n`;
  // A file that exists may hold a wallet.
  writeDurably(path, (draft) => writeFileSync(draft, text), { existing: "refuse" });
  console.log(publicKey.toBase58());
  console.error(
    `Wrote ${path}. Set LAUNCH_KEYPAIR=${path}, send SOL to the address, back the file up.`,
  );
}

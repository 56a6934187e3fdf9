import { closeSync, fchmodSync, fsyncSync, openSync, writeSync } from "node:fs";
import { generateKeypair } from "../base/native-keys.ts";

export async function keygen(path: string): Promise<void> {
  const { secretKey, publicKey } = generateKeypair();
  let file: number;
  try {
    file = openSync(path, "wx", 0o600);
  } catch (cause) {
    const isThere = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    const why = isThere ? "there is a file already; a wallet in it would be lost" : cause;
    throw new Error(`${path} cannot be written: ${why}`, { cause });
  }
  try {
    // The umask applies to the mode of `open`, and can remove the owner's own bits.
    fchmodSync(file, 0o600);
    writeSync(file, `${JSON.stringify(Array.from(secretKey))}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  console.log(publicKey.toBase58());
  console.error(
    `Wrote ${path}. Set LAUNCH_KEYPAIR=${path}, send SOL to the address, back the file up.`,
  );
}

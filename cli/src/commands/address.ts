import { keypairSigner } from "@tokenctl/sdk";
import type { Context } from "../context.ts";
import { readKeypairFile } from "../keypair-file.ts";
import type { Result } from "../result.ts";

/** Returns the address of the keypair file's wallet. */
export async function address(context: Context): Promise<Result> {
  const signer = keypairSigner(await readKeypairFile(context));
  return { kind: "address", data: { address: signer.publicKey } };
}

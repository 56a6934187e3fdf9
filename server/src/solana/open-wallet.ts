import type { Clock } from "../base/clock.ts";
import type { BlockPace } from "./block-pace.ts";
import { readKeypairFile } from "./keypair-file.ts";
import { remoteSigner, signerTimeoutMs } from "./remote-signer.ts";
import { askCommand, askHttp } from "./signer-carriers.ts";
import { keypairSigner, type WalletSigner } from "./wallet-signer.ts";

/** Where the launch wallet's key is. */
export type WalletPlace =
  | { readonly kind: "keypair"; readonly path: string }
  | { readonly kind: "command"; readonly command: readonly string[] }
  | { readonly kind: "http"; readonly url: string };

/**
 * Opens the launch wallet.
 *
 * @param pace the chain's, by which a signer has to answer in time; null if it is not measured
 * @throws {KeypairFileError} if its file holds no keypair, or another user owns it or can open it
 * @throws {SignerError} if its signer does not say its public key
 */
export async function openWallet(
  place: WalletPlace,
  clock: Clock,
  pace: Pick<BlockPace, "msPerBlock"> | null = null,
): Promise<WalletSigner> {
  if (place.kind === "keypair") return keypairSigner(readKeypairFile(place.path));
  const timeoutMs = () => signerTimeoutMs(pace);
  const ask =
    place.kind === "command" ? askCommand(place.command, timeoutMs) : askHttp(place.url, timeoutMs);
  return remoteSigner(ask, clock);
}

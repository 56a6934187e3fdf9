import { join } from "node:path";

/** What the injected wallet does when it is asked to sign a transaction. */
export type WalletManner = "signs" | "refuses" | "changes the transaction";

/**
 * A wallet of the Wallet Standard, as an extension injects it. It records what it was asked in
 * `window.asked`.
 *
 * @param secretKey 64 bytes
 * @returns a script for the page
 */
export async function walletScript(
  secretKey: Uint8Array,
  manner: WalletManner = "signs",
): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "injected-wallet.ts")],
    target: "browser",
    format: "iife",
    define: {
      SECRET_KEY: JSON.stringify([...secretKey]),
      MANNER: JSON.stringify(manner),
    },
  });
  return (await outputs[0]?.text()) ?? "";
}

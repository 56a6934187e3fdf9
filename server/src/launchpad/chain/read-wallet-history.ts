import type { Connection, PublicKey, SignaturesForAddressOptions } from "@solana/web3.js";
import { ChainUnavailableError } from "../errors.ts";
import type { SeenTransaction, WalletHistory } from "../wallet-history.ts";
import { withRpcErrors } from "./cluster.ts";

/** The most signatures in one answer. Source: Solana's documentation, RPC. */
const PAGE = 1_000;

/** @param isLaunch whether an instruction of this program with this data creates a pool */
export function walletHistory(
  connection: Connection,
  wallet: PublicKey,
  isLaunch: (program: PublicKey, data: Uint8Array) => boolean,
): WalletHistory {
  const page = (options: SignaturesForAddressOptions) =>
    withRpcErrors(() => connection.getSignaturesForAddress(wallet, options, "confirmed"));
  return {
    async newest() {
      const slot = await withRpcErrors(() => connection.getSlot("confirmed"));
      const [newest] = await page({ limit: 1, minContextSlot: slot });
      return newest ?? { signature: null, slot };
    },

    async since({ signature: until, slot }) {
      const found: SeenTransaction[] = [];
      let before: string | undefined;
      for (;;) {
        const read = await page({
          limit: PAGE,
          minContextSlot: slot,
          ...(until !== null && { until }),
          ...(before !== undefined && { before }),
        });
        const later = read.filter((each) => each.slot >= slot);
        found.push(...later.filter(({ err }) => err === null));
        before = read.at(-1)?.signature;
        if (later.length < PAGE) return found.reverse();
      }
    },

    async isLaunch(signature) {
      const found = await withRpcErrors(() =>
        connection.getTransaction(signature, {
          commitment: "confirmed",
          maxSupportedTransactionVersion: 1,
        }),
      );
      if (found === null) throw new ChainUnavailableError("A transaction cannot be read yet");
      const { message } = found.transaction;
      const keys = message.getAccountKeys({
        accountKeysFromLookups: found.meta?.loadedAddresses ?? null,
      });
      return message.compiledInstructions.some(({ programIdIndex, data }) => {
        const program = keys.get(programIdIndex);
        return program !== undefined && isLaunch(program, data);
      });
    },
  };
}

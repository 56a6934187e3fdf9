import { Connection } from "@solana/web3.js";
import { localProgram } from "../../server/src/launchpad/local/local-program.ts";
import { agent, stranger } from "./claim-transactions.ts";

export const RENT_PER_BYTE = 6_960n;

/** The sandbox's own pool program. Making a launch reads nothing. */
const program = localProgram({
  connection: new Connection("http://127.0.0.1:1"),
  launchWallet: stranger,
  secret: new Uint8Array(32).fill(7),
  rentExemption: (bytes) => BigInt(128 + bytes) * RENT_PER_BYTE,
  feeBps: 100,
  graduationLamports: 85_000_000_000n,
});

const terms = {
  agent: agent.publicKey.toBase58(),
  config: null,
  name: "A token",
  symbol: "BOX",
  uri: "",
  maxNetworkFeeLamports: 20_000n,
};

/** A launch that the agent pays for, as a sandbox makes it, and the terms by which its check accepts it. */
export async function sandboxLaunch(
  firstBuy?: { lamports: bigint; minUnits: bigint },
  eventId = "one",
) {
  const order = { eventId, wallet: terms.agent, name: terms.name, ticker: terms.symbol } as const;
  const payer = "agent" as const;
  const launch = await program.launch({ ...order, payer, firstBuy: firstBuy ?? null });
  return { ...launch, instructions: [...launch.instructions], terms: { ...terms, firstBuy } };
}

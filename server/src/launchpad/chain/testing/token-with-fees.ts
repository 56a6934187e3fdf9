import { generateKeypair } from "../../../base/native-keys.ts";
import { Journal } from "./journal.ts";
import { never, order, SOL, type TestLaunchpadOptions, testLaunchpad } from "./test-launchpad.ts";

/** The agent's fees of the trade that {@link tokenWithFees} makes, in lamports. */
export const FEE = SOL / 100n;

/** A token whose agent has 0.01 SOL of fees and 1 SOL in its wallet. */
export async function tokenWithFees(
  options: TestLaunchpadOptions & { readonly lamports?: bigint } = {},
) {
  const { lamports = SOL } = options;
  const test = testLaunchpad(options);
  const agent = generateKeypair();
  const wallet = agent.publicKey.toBase58();
  if (lamports > 0n) test.chain.airdrop(agent.publicKey, lamports);
  const token = await test.launchpad.deploy(order(wallet), new Journal(), never);
  await test.sandbox.trade({ ...token, side: "buy", lamports: SOL });
  test.rpc.calls.length = 0;
  const build = async () => {
    const claim = await test.launchpad.buildClaim(wallet, [token]);
    if (!claim) throw new Error("there is something to claim");
    return claim;
  };
  return { ...test, payer: test.wallet, agent, wallet, token, build };
}

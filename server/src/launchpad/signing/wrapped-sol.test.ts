import { expect, setDefaultTimeout, test } from "bun:test";
import {
  AuthorityType,
  createAssociatedTokenAccountInstruction,
  createSetAuthorityInstruction,
  NATIVE_MINT,
} from "@solana/spl-token";
import { toServiceError } from "../errors.ts";
import { giveCreator } from "../meteora/testing/give-away.ts";
import { openMarket, SOL } from "../meteora/testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "../meteora/testing/programs.ts";
import { send } from "../meteora/testing/send.ts";
import { traded } from "../meteora/testing/token-life.ts";
import { wrappedSolAccount } from "../pool-program.ts";
import { launchpadOn } from "./testing/steps.ts";

setDefaultTimeout(ON_CHAIN_MS);

describeMeteora("a claim of a wallet whose account for wrapped SOL", () => {
  test.each([
    [AuthorityType.AccountOwner, "belongs to"],
    [AuthorityType.CloseAccount, "may be closed by"],
  ])("is another's names the account, the cause and a way (%i)", async (authority, cause) => {
    const { launchpad: meteora, trader } = await openMarket({});
    const { connection } = meteora.cluster;
    const { token, agent } = await traded(meteora, trader);
    const wallet = agent.publicKey;
    const account = wrappedSolAccount(wallet);
    const other = meteora.cluster.wallet(SOL).publicKey;
    const make = createAssociatedTokenAccountInstruction(wallet, account, wallet, NATIVE_MINT);
    const give = createSetAuthorityInstruction(account, wallet, authority, other);
    await send(connection, [make, give], [agent]);

    const launchpad = launchpadOn(meteora);
    const error = await launchpad.buildClaim(String(wallet), [token.ref]).catch(toServiceError);
    expect(error).toMatchObject({
      wireCode: "claim_build_failed",
      message: expect.stringContaining(`wrapped SOL ${account} ${cause} ${other}`),
      advice: expect.stringContaining("`tokenctl hand-over <token> --to <wallet> --leave-fees`"),
    });

    // The way that it names: the other wallet claims what was open.
    const heir = meteora.cluster.wallet(SOL);
    await giveCreator(connection, token.pool, agent, heir.publicKey);
    const claim = await launchpad.buildClaim(String(heir.publicKey), [token.ref]);
    expect(claim?.tokens).toEqual([token.ref]);
  });
});

import { PublicKey } from "@solana/web3.js";
import { type ChainContext, hasWallet } from "../chain/context.ts";
import { finalOutcome } from "../chain/transaction.ts";
import { UnaffordableError } from "../errors.ts";
import type { Signing } from "../launchpad.ts";
import { buildOwnClaim, orWrappedSolProblem } from "./claim.ts";
import { buildHandOver } from "./hand-over.ts";
import { buildLaunch, checkLaunch, cosignLaunch } from "./paid-launch.ts";
import { buildSponsoredClaim, cosignClaim } from "./sponsor.ts";
import { checkSigned, submitSigned } from "./submit.ts";

export function signing(chain: ChainContext): Signing {
  // One program for all steps of a call.
  const launching = () => ({ ...chain, program: chain.launchProgram() });
  return {
    checkLaunch: (order) => checkLaunch(launching(), order),
    buildLaunch: (order, version = "legacy") => buildLaunch(launching(), order, version),
    buildClaim(wallet, tokens, options = {}) {
      const { maySponsor, transactionVersion: version = "legacy", ...parties } = options;
      const order = { ...parties, version, tokens, agent: new PublicKey(wallet) };
      const ownOrSponsored = async () => {
        try {
          return await buildOwnClaim(chain, order);
        } catch (error) {
          if (!(error instanceof UnaffordableError) || !hasWallet(chain)) throw error;
          const sponsored = (await maySponsor?.()) && (await buildSponsoredClaim(chain, order));
          if (sponsored) return sponsored;
          throw error;
        }
      };
      return orWrappedSolProblem(chain, order.agent, ownOrSponsored());
    },
    buildHandOver: (order) => buildHandOver(chain, order),
    check: (handedOut, signature) => checkSigned(launching(), handedOut, signature),
    cosign({ order, ...handedOut }) {
      return order
        ? cosignLaunch(launching(), { ...handedOut, order })
        : cosignClaim(chain, handedOut);
    },
    submit: (signed, journal, signal) => submitSigned(chain, signed, { journal, signal }),
    finalOutcome: (sent) => finalOutcome(chain, sent),
  };
}

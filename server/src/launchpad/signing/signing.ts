import type { ChainContext } from "../chain/context.ts";
import { finalOutcome } from "../chain/transaction.ts";
import type { Signing } from "../launchpad.ts";
import { buildHandOver } from "./hand-over.ts";
import { buildLaunch, checkLaunch, cosignLaunch } from "./paid-launch.ts";
import { buildClaim, cosignClaim } from "./sponsor.ts";
import { checkSigned, submitSigned } from "./submit.ts";

export function signing(chain: ChainContext): Signing {
  // One program for all steps of a call.
  const launching = () => ({ ...chain, program: chain.launchProgram() });
  return {
    checkLaunch: (order) => checkLaunch(launching(), order),
    buildLaunch: (order, version = "legacy") => buildLaunch(launching(), order, version),
    buildClaim: (agent, tokens, options) => buildClaim(chain, { agent, tokens, ...options }),
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

import { Counter, Histogram, type Registry } from "prom-client";
import {
  ClaimExpiredError,
  ClaimRefusedError,
  InsufficientSolError,
  LaunchRefusedError,
  LaunchWalletError,
} from "../launchpad/errors.ts";
import type { Launchpad } from "../launchpad/launchpad.ts";

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 90, 120];

/** @returns the same launchpad, with its launches and claims measured */
export function meteredLaunchpad(launchpad: Launchpad, registry: Registry): Launchpad {
  const deploys = new Histogram({
    name: "tokend_launch_deploy_seconds",
    help: "Time that one try takes to put a launch on chain, by outcome",
    labelNames: ["outcome"],
    buckets: SECONDS,
    registers: [registry],
  });
  const claims = new Counter({
    name: "tokend_claims_total",
    help: "Signed claims that were sent, by outcome; one that was put off is sent again",
    labelNames: ["outcome"],
    registers: [registry],
  });
  const claimed = new Counter({
    name: "tokend_claimed_sol_total",
    help: "SOL that confirmed claims paid",
    registers: [registry],
  });
  return {
    readFees: (agent, tokens) => launchpad.readFees(agent, tokens),
    readPools: (tokens) => launchpad.readPools(tokens),
    buildClaim: (agent, token, maySponsor) => launchpad.buildClaim(agent, token, maySponsor),
    buildClaims: (agent, tokens, maySponsor) => launchpad.buildClaims(agent, tokens, maySponsor),
    cosignClaim: (claim) => launchpad.cosignClaim(claim),
    finalOutcome: (claim) => launchpad.finalOutcome(claim),
    readBalance: (wallet) => launchpad.readBalance(wallet),
    probe: () => launchpad.probe(),
    async deploy(order, journal, signal) {
      const stop = deploys.startTimer();
      try {
        const token = await launchpad.deploy(order, journal, signal);
        stop({ outcome: "deployed" });
        return token;
      } catch (fault) {
        stop({ outcome: deployOutcome(fault) });
        throw fault;
      }
    },
    async submitClaim(claim, signal) {
      try {
        const confirmed = await launchpad.submitClaim(claim, signal);
        claims.inc({ outcome: "confirmed" });
        claimed.inc(Number(confirmed.paidLamports) / 1e9);
        return confirmed;
      } catch (fault) {
        claims.inc({ outcome: claimOutcome(fault) });
        throw fault;
      }
    },
  };
}

function deployOutcome(fault: unknown): string {
  if (fault instanceof LaunchRefusedError) return "refused";
  return fault instanceof LaunchWalletError ? "wallet_empty" : "put_off";
}

function claimOutcome(fault: unknown): string {
  if (fault instanceof ClaimRefusedError) return "refused";
  if (fault instanceof InsufficientSolError) return fault.code;
  return fault instanceof ClaimExpiredError ? "expired" : "put_off";
}

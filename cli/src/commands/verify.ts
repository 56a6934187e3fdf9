import {
  type Fact,
  InvalidArgumentError,
  RpcError,
  TimeoutError,
  verifyToken,
} from "@tokenctl/sdk";
import type { Desk, Field, Result } from "../desk.ts";
import { CliError, exitCodes, UsageError } from "../errors.ts";

interface Verify {
  readonly tokenMint: string;
  readonly creator?: string;
  readonly config?: string;
  readonly pool?: string;
}

/** Shows what the chain says of a token, without the service. */
export async function verify(
  { settings, signal }: Desk,
  { tokenMint, creator, config, pool }: Verify,
): Promise<Result> {
  const { rpcUrl } = settings;
  if (rpcUrl === undefined) {
    throw new UsageError(
      "There is no node to ask",
      "Give a Solana node's address with --rpc-url or TOKENCTL_RPC_URL",
    );
  }
  const proof = await verifyToken(tokenMint, { rpcUrl, creator, config, pool, signal }).catch(
    (error: unknown) => {
      throw explained(error);
    },
  );
  const failed = proof.facts.filter(({ status }) => status === "fail");
  const count = failed.length === 1 ? "One fact fails" : `${failed.length} facts fail`;
  return {
    data: proof,
    view: { fields: [["Mint", tokenMint], ...proof.facts.map(fieldOf)] },
    failure: proof.passed
      ? undefined
      : new CliError("verification_failed", `${count}: ${failed.map(titleOf).join(", ")}`, {
          hint: failed.some(({ name }) => name === "token" || name === "pool")
            ? "Check the address, and that --rpc-url is a node of the token's cluster; a sandbox's tokens are on none"
            : undefined,
        }),
  };
}

const COLOURS = { pass: "green", fail: "red", info: undefined } as const;

function fieldOf(fact: Fact): Field {
  const { status, text } = fact;
  const colour = COLOURS[status];
  const cell = status === "info" ? text : `${status}: ${text}`;
  return [titleOf(fact), colour ? { text: cell, colour } : cell];
}

/** @returns for example `Mint authority` */
function titleOf({ name }: Fact): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1).replaceAll("_", " ");
}

/** The SDK's own hints are about claims. */
function explained(error: unknown): unknown {
  if (error instanceof InvalidArgumentError && error.message.startsWith("rpcUrl")) {
    const what = error.message.replace("rpcUrl", "The RPC's address");
    return new UsageError(
      what,
      "Set --rpc-url to an address such as https://api.devnet.solana.com",
    );
  }
  if (!(error instanceof RpcError || error instanceof TimeoutError)) return error;
  return new CliError(error.code, error.message, {
    hint: "Check --rpc-url, or try another node; with --pool or --config it need not search for the token's pool",
    exitCode: exitCodes.unavailable,
    cause: error,
  });
}

import {
  costInWords,
  type Fact,
  factTitle,
  proofVerdict,
  TokenctlClient,
  verifyToken,
} from "@tokenctl/sdk";
import type { Desk, Field, Result } from "../desk.ts";
import { CliError, UsageError } from "../errors.ts";
import { readNetwork } from "../network.ts";

interface Verify {
  readonly tokenMint: string;
  readonly creator?: string;
  readonly config?: string;
  readonly pool?: string;
  readonly atMost?: readonly string[];
}

export async function verify(
  { settings, signal }: Desk,
  { tokenMint, creator, config, pool, atMost = [] }: Verify,
): Promise<Result> {
  const { rpcUrl } = settings;
  if (rpcUrl === undefined) {
    const client = new TokenctlClient({ apiUrl: settings.apiUrl });
    if ((await readNetwork({ client, signal })) === "sandbox") {
      throw new UsageError(
        `${client.apiUrl} is a sandbox, whose tokens are on no cluster: there is nothing to verify`,
        "For a token of a real cluster give a Solana node's address with --rpc-url",
      );
    }
    throw new UsageError(
      "There is no node to ask",
      "Give a Solana node's address with --rpc-url or TOKENCTL_RPC_URL",
    );
  }
  // For example `curve_fees=20`.
  const given = atMost.map((text) => text.split("="));
  const limits = Object.fromEntries(
    given.map(([name, limit]) => [name, Number(limit || Number.NaN)]),
  );
  const options = { rpcUrl, creator, config, pool, atMost: limits, signal };
  const proof = await verifyToken(tokenMint, options);
  const sentence = proofVerdict(proof);
  const fields: Field[] = [["Mint", tokenMint], ...proof.facts.map(fieldOf)];
  return {
    data: proof,
    says: sentence,
    fields: proof.passed ? [...fields, ["Verdict", sentence]] : fields,
    failure: proof.passed
      ? undefined
      : new CliError("verification_failed", sentence.replace(/\.$/, "")),
  };
}

function fieldOf(fact: Fact): Field {
  const { verdict, text } = fact;
  const cost = costInWords(fact);
  const shown = cost === null ? `${verdict}: ` : `costs ${cost}: `;
  return [factTitle(fact), text.startsWith(shown) ? text : `${shown}${text}`];
}

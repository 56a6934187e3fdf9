import { expect, test } from "bun:test";
import { keypairSigner } from "@tokenctl/sdk";
import bs58 from "bs58";
import { agent, fromBase64, meteoraClaims, mint } from "../../../sdk/test/claim-transactions.ts";
import { refuse, runAgainst } from "../testing/api.ts";
import { claimRecord } from "../testing/records.ts";

const tokenMint = mint.toBase58();
/** Costs 0.00206428 SOL: a network fee of 25,000 lamports and the rent of an account. */
const transaction = meteoraClaims.curve;
const signed = keypairSigner(agent).signTransaction(fromBase64(transaction)) as Uint8Array;
const transactionHash = bs58.encode(signed.subarray(1, 65));
const receipt = { success: true, transactionHash, claimedSOL: 0.5 };

const records = (count: number) =>
  Array.from({ length: count }, (_, index) => claimRecord(`T${index}`, tokenMint, 0.5));

/** Runs `claim` against a server with 30 such tokens; `answer` replies to each signed claim. */
async function claimFrom(answer: () => unknown, ...args: string[]) {
  let signatures = 0;
  const routes = {
    "GET /api/v1/tokens/claims": () => ({ claims: records(30) }),
    [`POST /api/v1/tokens/claims/${tokenMint}`]: async (request: Request) => {
      const isSigned = (await request.text()) !== "";
      signatures += isSigned ? 1 : 0;
      return isSigned ? answer() : { success: true, transaction, expiresInSeconds: 60 };
    },
  };
  const { secretKey } = agent;
  const finished = await runAgainst(routes, ["claim", ...args, "--json"], { secretKey });
  return { ...finished, signatures };
}

test("claim --all spends at most 0.02 SOL and says why it stops", async () => {
  const { exitCode, stdout, stderr, signatures } = await claimFrom(() => receipt, "--all");
  expect(signatures).toBe(9);
  expect(JSON.parse(stdout).claims).toHaveLength(10);
  expect(JSON.parse(stdout).claimedSOL).toBe(4.5);
  expect(JSON.parse(stderr)).toEqual({
    error:
      "Stopped at T9: Not signed: this claim may cost 0.00206428 SOL and earlier ones " +
      "0.01857852 SOL, more than the 0.02 SOL allowed. 20 more left",
    code: "budget_exhausted",
    hint: "Run it again for the rest, or allow more with --max-total-fee-sol",
    exitCode: 1,
  });
  expect(exitCode).toBe(1);
});

test("claim --all counts every claim that it signed, even if the server says that it failed", async () => {
  const failed = await claimFrom(() => refuse(502, "The chain refused the claim"), "--all");
  expect(failed.signatures).toBe(9);
  expect(JSON.parse(failed.stderr).code).toBe("budget_exhausted");
});

test("--max-total-fee-sol holds to the lamport", async () => {
  const enough = ["--all", "--max-total-fee-sol", "0.00412856"];
  expect((await claimFrom(() => receipt, ...enough)).signatures).toBe(2);
  const tooLittle = ["--all", "--max-total-fee-sol", "0.004128559"];
  expect((await claimFrom(() => receipt, ...tooLittle)).signatures).toBe(1);
  const single = await claimFrom(() => receipt, tokenMint, "--max-total-fee-sol", "0.002");
  expect(single.signatures).toBe(0);
  expect(JSON.parse(single.stderr).code).toBe("budget_exhausted");
});

import { expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import { ServiceError } from "../../base/service-error.ts";
import type { TokenWithLaunch } from "../../store/tokens.ts";
import { tokenVerifier } from "./verifier.ts";

const ownUrl = "https://tokens.example";
const mint = Keypair.generate().publicKey;

/** Borsh's length and text. */
const text = (value: string) => [value.length, 0, 0, 0, ...Buffer.from(value)];

const mintAccount = Buffer.alloc(82);
mintAccount[45] = 1;
const metadataAccount = Buffer.from([
  ...[4, ...Buffer.alloc(32), ...mint.toBytes()],
  ...["Coin", "COIN", `${ownUrl}/metadata/${mint}.json`].flatMap(text),
  ...[0, 0, 0, 0, 0],
]);

const account = (owner: string, data: Buffer) => ({
  lamports: 1,
  owner,
  data: [data.toString("base64"), "base64"],
});

/** The token as the chain shows it; of its pool nothing. */
async function askRpc(_: string, [addresses]: readonly unknown[]) {
  const shown = [
    account("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", mintAccount),
    account("metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s", metadataAccount),
  ];
  return { value: (addresses as string[]).map((_, index) => shown[index] ?? null) };
}

const verify = (metadata: () => Promise<null>) =>
  tokenVerifier({ askRpc, tokens: { metadata }, ownUrl })({
    tokenMint: String(mint),
    poolAddress: String(mint),
    poolTerms: null,
  } as TokenWithLaunch);

test("a document fails if the service has none, but not while its database does not answer", async () => {
  const { facts } = await verify(async () => null);
  expect(facts.find(({ name }) => name === "metadata")).toMatchObject({ status: "fail" });
  const down = () => Promise.reject(new ServiceError("database_unavailable"));
  await expect(verify(down)).rejects.toMatchObject({ wireCode: "database_unavailable" });
});

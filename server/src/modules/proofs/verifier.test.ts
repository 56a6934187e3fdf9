import { expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import { ServiceError } from "../../base/service-error.ts";
import type { TokenMetadata, TokenWithLaunch } from "../../store/tokens.ts";
import { tokenVerifier } from "./service.ts";

const ownUrl = "https://tokens.example";
const mint = Keypair.generate().publicKey;

const text = (value: string) => [value.length, 0, 0, 0, ...Buffer.from(value)];

const mintAccount = Buffer.alloc(82);
mintAccount[45] = 1;
const own = `${ownUrl}/metadata/${mint}.json`;
const metadataAccount = (uri: string) =>
  Buffer.from([
    ...[4, ...Buffer.alloc(32), ...mint.toBytes()],
    ...["Coin", "COIN", uri].flatMap(text),
    ...[0, 0, 0, 0, 0],
  ]);

const account = (owner: string, data: Buffer) => ({
  lamports: 1,
  owner,
  data: [data.toString("base64"), "base64"],
});

/** Verifies the token as the chain shows it; of its pool nothing. */
async function verify(metadata: () => Promise<TokenMetadata | null>, uri = own) {
  const shown = [
    account("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", mintAccount),
    account("metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s", metadataAccount(uri)),
  ];
  const verifier = tokenVerifier({
    askRpc: async (_, [addresses]) => ({
      value: (addresses as string[]).map((_, index) => shown[index] ?? null),
    }),
    tokens: { metadata },
    ownUrl,
  });
  const token = { tokenMint: String(mint), poolAddress: String(mint), poolTerms: null };
  const { facts } = await verifier(token as TokenWithLaunch);
  return facts.find(({ name }) => name === "metadata");
}

test("a document fails if the service has none, but not while its database does not answer", async () => {
  expect(await verify(async () => null)).toMatchObject({ verdict: "wrong" });
  const down = () => Promise.reject(new ServiceError("database_unavailable"));
  await expect(verify(down)).rejects.toMatchObject({ wireCode: "database_unavailable" });
});

test("a document at any other address is not taken for the service's own", async () => {
  const metadata = async () => ({ name: "Coin", ticker: "COIN" }) as TokenMetadata;
  expect(await verify(metadata)).toMatchObject({ verdict: "safe" });
  for (const uri of [
    `${own}?v=2`,
    own.replace(String(mint), "other"),
    own.replace("https:", "http:"),
    own.replace(".example", ".example.org"),
    own.replace("tokens.", "tokens.example@"),
    `https://elsewhere.example/${own}`,
  ]) {
    expect(await verify(metadata, uri)).toMatchObject({ verdict: "unknown" });
  }
});

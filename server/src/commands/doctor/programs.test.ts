import { expect, test } from "bun:test";
import { PublicKey } from "@solana/web3.js";
import { METEORA_PROGRAMS } from "../../localnet/programs.ts";
import { localConnection } from "../../localnet/testing/connection.ts";
import { openTestChain, SOL } from "../../localnet/testing/local-chain.ts";
import { checkPrograms } from "./cluster.ts";

const LOADER = new PublicKey("BPFLoaderUpgradeab1e11111111111111111111111");

test("the doctor names the programs of another release, and those that are not there", async () => {
  const { chain } = openTestChain();
  const [curve] = METEORA_PROGRAMS;
  const data = PublicKey.unique();
  const program = Uint8Array.from([2, 0, 0, 0, ...data.toBytes()]);
  chain.setAccount(curve?.programId ?? data, { lamports: SOL, owner: LOADER, data: program });
  const code = Uint8Array.from([3, 0, 0, 0, ...new Uint8Array(41), 0x7f, 0x45, 0x4c, 0x46]);
  chain.setAccount(data, { lamports: SOL, owner: LOADER, data: code });
  expect(await checkPrograms(localConnection(chain))).toEqual({
    verdict: "warning",
    subject: "programs",
    text: expect.stringMatching(
      /^Dynamic Bonding Curve, DAMM v2, Token Metadata: not the release with which this version was tested\./,
    ),
  });
});

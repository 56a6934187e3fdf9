import { afterAll, describe, expect, test } from "bun:test";
import { address, type Base64EncodedWireTransaction, createSolanaRpc, lamports } from "@solana/kit";
import { Connection, Keypair, PublicKey } from "@solana/web3.js";
import { serveLocalnet } from "./serve-rpc.ts";
import { openTestChain, SOL } from "./testing/local-chain.ts";
import { versionOneTransfer } from "./testing/version-1.ts";

const { chain, wallet } = openTestChain();

const served = serveLocalnet(chain, { port: 0 });

afterAll(() => served.stop());

describe("serveLocalnet", () => {
  test("listens on loopback and answers HTTP calls", async () => {
    expect(served.url).toStartWith("http://127.0.0.1:");
    const connection = new Connection(served.url, "confirmed");
    expect(await connection.getBalance(wallet().publicKey)).toBe(10_000_000_000);
    expect(await (await fetch(`${served.url}/health`)).text()).toBe("ok");
  });

  test("answers no web page whose name was led to this machine, and no websocket", async () => {
    const { port } = new URL(served.url);
    const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getHealth" });
    const ask = (host: string) =>
      fetch(served.url, {
        method: "POST",
        headers: { "content-type": "application/json", host },
        body: call,
      });
    for (const host of [`evil.example:${port}`, "localhost.evil.example"]) {
      const refused = await ask(host);
      expect(refused.status).toBe(421);
      expect(await refused.text()).toContain("only requests for localhost, 127.0.0.1 and [::1]");
    }
    for (const host of ["localhost:9000", "[::1]", "127.0.0.1"]) {
      expect((await ask(host)).status).toBe(200);
    }
    const upgrade = { connection: "Upgrade", upgrade: "websocket" };
    expect((await fetch(served.url, { headers: upgrade })).status).toBe(405);
  });

  test("refuses to start on a port that is taken", async () => {
    const port = Number(new URL(served.url).port);
    expect(() => serveLocalnet(chain, { port })).toThrow(
      `127.0.0.1:${port} is taken: another program listens there; stop it, or choose another with --port`,
    );
  });
});

test("kit airdrops and sends, and reads what happened", async () => {
  const kit = createSolanaRpc(served.url);
  const [from, to] = [Keypair.generate(), PublicKey.unique()];
  await kit.requestAirdrop(address(from.publicKey.toBase58()), lamports(SOL)).send();
  const { value: blockhash } = await kit.getLatestBlockhash({ commitment: "confirmed" }).send();
  const about = { to, lamports: Number(SOL / 2n) };
  const bytes = await versionOneTransfer(from, blockhash.blockhash, about);
  const text = Buffer.from(bytes).toString("base64") as Base64EncodedWireTransaction;
  const sending = { encoding: "base64", preflightCommitment: "confirmed" } as const;
  await kit.sendTransaction(text, sending).send();
  const confirmed = { commitment: "confirmed" } as const;
  const receiver = address(to.toBase58());
  expect(await kit.getBalance(receiver).send()).toMatchObject({ value: SOL / 2n });
  const [latest] = await kit.getSignaturesForAddress(receiver, confirmed).send();
  expect(latest).toMatchObject({ err: null });
  const options = { ...confirmed, encoding: "base64", maxSupportedTransactionVersion: 1 } as const;
  const found = await kit.getTransaction(latest?.signature as never, options as never).send();
  expect(found?.meta?.err).toBeNull();
});

import { afterAll, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import {
  address,
  airdropFactory,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  lamports,
  sendAndConfirmTransactionFactory,
} from "@solana/kit";
import {
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
} from "@solana/web3.js";
import { heldPort } from "../testing/held-port.ts";
import { serveLocalnet } from "./serve-rpc.ts";
import { openTestChain, SOL, transfer } from "./testing/local-chain.ts";
import { signTransfer } from "./testing/version-1.ts";

const { chain, clock, wallet } = openTestChain();

const served = serveLocalnet(chain, { port: 0 });
const connection = new Connection(served.url, {
  commitment: "confirmed",
  wsEndpoint: served.url.replace("http", "ws"),
});
const payer = wallet();

afterAll(async () => {
  // web3.js has no public way to close its websocket, and reconnects to a stopped server forever.
  const { _rpcWebSocket } = connection as unknown as {
    _rpcWebSocket: { setAutoReconnect(reconnect: boolean): void };
  };
  _rpcWebSocket.setAutoReconnect(false);
  await served.stop();
});

function next(socket: WebSocket): Promise<unknown> {
  return new Promise((resolve) => {
    const options = { once: true };
    socket.addEventListener("message", ({ data }) => resolve(JSON.parse(data)), options);
  });
}

async function openSocket(url = served.url): Promise<WebSocket> {
  const socket = new WebSocket(url.replace("http", "ws"));
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
  return socket;
}

describe("serveLocalnet", () => {
  test("listens on loopback and answers HTTP calls", async () => {
    expect(served.url).toStartWith("http://127.0.0.1:");
    expect(await connection.getBalance(wallet().publicKey)).toBe(10_000_000_000);
    expect(await (await fetch(`${served.url}/health`)).text()).toBe("ok");
  });

  test("lets web3.js confirm a transaction over the websocket", async () => {
    const to = PublicKey.unique();
    const transaction = new Transaction().add(
      SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: SOL }),
    );
    await sendAndConfirmTransaction(connection, transaction, [payer]);
    expect(chain.getBalance(to)).toBe(SOL);
  });

  test("notifies a subscriber once, at the commitment of the subscription", async () => {
    const socket = await openSocket();
    const bytes = transfer(chain, payer, SOL);
    const signature = chain.sendTransaction(bytes);
    const params = [signature, { commitment: "finalized" }];
    const answered = next(socket);
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 7, method: "signatureSubscribe", params }));
    const { result } = (await answered) as { result: number };
    expect(result).toBeNumber();
    const notified = next(socket);
    clock.advanceSlots(32);
    expect(await notified).toMatchObject({
      method: "signatureNotification",
      params: { subscription: result, result: { value: { err: null } } },
    });
    const unsubscribed = next(socket);
    const unsubscribe = { jsonrpc: "2.0", id: 8, method: "signatureUnsubscribe", params: [result] };
    socket.send(JSON.stringify(unsubscribe));
    expect(await unsubscribed).toEqual({ jsonrpc: "2.0", result: false, id: 8 });
    socket.close();
  });

  test("answers no web page whose name was led to this machine, by HTTP nor by websocket", async () => {
    const { port } = new URL(served.url);
    const ask = (host: string, headers: Record<string, string>, body: string | null) =>
      fetch(served.url, {
        method: body === null ? "GET" : "POST",
        headers: { ...headers, host },
        body,
      });
    const json = { "content-type": "application/json" };
    const key = { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version": "13" };
    const upgrade = { connection: "Upgrade", upgrade: "websocket", ...key };
    const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getHealth" });
    for (const host of [`evil.example:${port}`, "localhost.evil.example"]) {
      const refused = [await ask(host, json, call), await ask(host, upgrade, null)];
      for (const { status } of refused) expect(status).toBe(421);
      expect(await refused[0]?.text()).toContain("localhost, 127.0.0.1 and [::1] alone");
    }
    for (const host of ["localhost:9000", "[::1]", "127.0.0.1"]) {
      expect((await ask(host, json, call)).status).toBe(200);
    }
  });

  test("refuses other subscriptions and malformed calls", async () => {
    const socket = await openSocket();
    const answer = async (message: string) => {
      const answered = next(socket);
      socket.send(message);
      return (await answered) as { error: { code: number } };
    };
    expect((await answer('{"jsonrpc":"2.0","id":1,"method":"logsSubscribe"}')).error.code).toBe(
      -32601,
    );
    expect(
      (await answer('{"jsonrpc":"2.0","id":1,"method":"signatureSubscribe"}')).error.code,
    ).toBe(-32602);
    expect((await answer("{")).error.code).toBe(-32700);
    socket.close();
  });

  test("keeps at most 1,000 subscriptions, which only their socket ends, by a call or by closing", async () => {
    const subscribe = async (socket: WebSocket) => {
      const answered = next(socket);
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "slotSubscribe" }));
      return (await answered) as { error?: object; result?: number };
    };
    const [full, other] = [await openSocket(), await openSocket()];
    const first = await subscribe(full);
    for (let count = 1; count < 1_000; count++) await subscribe(full);
    const ended = next(other);
    const end = { jsonrpc: "2.0", id: 2, method: "slotUnsubscribe", params: [first.result] };
    other.send(JSON.stringify(end));
    expect(await ended).toEqual({ jsonrpc: "2.0", result: false, id: 2 });
    expect((await subscribe(other)).error).toEqual({
      code: -32602,
      message: "At most 1000 subscriptions may be open",
    });
    full.close();
    await new Promise((resolve) => full.addEventListener("close", resolve, { once: true }));
    expect((await subscribe(other)).error).toBeUndefined();
    other.close();
  });

  test("closes a socket for which it cannot read the chain, and reports that once", async () => {
    const broken = openTestChain();
    const faults: unknown[] = [];
    const server = serveLocalnet(broken.chain, { port: 0, onFault: (error) => faults.push(error) });
    const socket = await openSocket(server.url);
    const answered = next(socket);
    const params = ["1".repeat(64)];
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "signatureSubscribe", params }));
    await answered;
    const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener("close", resolve));
    broken.chain.close();
    await closed;
    expect(faults).toHaveLength(1);
    await server.stop();
  });

  test("refuses to start if the websocket port is taken, and frees the HTTP port", async () => {
    const blocker = createServer();
    const port = await heldPort();
    await new Promise<void>((resolve) => blocker.listen(port, "127.0.0.1", resolve));
    expect(() => serveLocalnet(chain, { port: port - 1 })).toThrow(
      `127.0.0.1:${port} is taken: another program listens there; stop it, or choose another with --port: it takes that one and the next`,
    );
    blocker.close();
  });
});

test("kit airdrops, sends and confirms, and reads what happened", async () => {
  const kit = createSolanaRpc(served.url);
  const rpcSubscriptions = createSolanaRpcSubscriptions(served.websocketUrl);
  const factories = { rpc: kit, rpcSubscriptions } as Parameters<typeof airdropFactory>[0] &
    Parameters<typeof sendAndConfirmTransactionFactory>[0];
  const [from, to] = [Keypair.generate(), PublicKey.unique()];
  await airdropFactory(factories)({
    commitment: "confirmed",
    lamports: lamports(SOL),
    recipientAddress: address(from.publicKey.toBase58()),
  });
  const { value: blockhash } = await kit.getLatestBlockhash({ commitment: "confirmed" }).send();
  const signed = await signTransfer(from, blockhash, { to, lamports: Number(SOL / 2n) });
  const confirm = sendAndConfirmTransactionFactory(factories);
  await confirm(signed as never, { commitment: "confirmed" });
  const receiver = address(to.toBase58());
  expect(await kit.getBalance(receiver).send()).toMatchObject({ value: SOL / 2n });
  const confirmed = { commitment: "confirmed" } as const;
  const [latest] = await kit.getSignaturesForAddress(receiver, confirmed).send();
  expect(latest).toMatchObject({ err: null });
  const options = { ...confirmed, encoding: "base64", maxSupportedTransactionVersion: 1 } as const;
  const found = await kit.getTransaction(latest?.signature as never, options as never).send();
  expect(found?.meta?.err).toBeNull();
});

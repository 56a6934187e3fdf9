import { sign } from "node:crypto";
import { signInMessage } from "@tokenctl/shared/sign-in";
import bs58 from "bs58";
import { ask, expectAnswer } from "../harness/answers.ts";
import type { Running } from "../harness/contestant.ts";
import {
  fastify,
  handWritten,
  handWrittenTweetnacl,
  hono,
  tokend,
} from "../harness/contestants.ts";
import { atLeast, figure, loadFigures } from "../harness/figures.ts";
import { newWallet, signInWallets } from "../harness/request-file.ts";
import { interleave } from "../harness/rounds.ts";
import type { Row, RowContext, RowResult } from "../harness/row.ts";
import { seededDatabase } from "../harness/seed.ts";
import { startAll } from "../harness/start-all.ts";
import { load } from "../harness/wrk.ts";

/** How many sign-ins per second are completed, each with its own signature. */
export const signIn: Row = { id: "sign-in", work: "sign-in: challenge + verify", run };

async function run({ scale, peers }: RowContext): Promise<RowResult> {
  const contestants = [
    tokend,
    handWritten,
    handWrittenTweetnacl,
    ...(peers.hono ? [hono] : []),
    ...(peers.fastify ? [fastify] : []),
  ];
  await using all = await startAll(contestants, await seededDatabase(1_000));
  for (const server of all.servers) await checkAnswers(server);
  const wallets = signInWallets();
  const signInAll = ({ url }: Running, seconds: number) =>
    load({ script: "sign-in", arguments: [wallets], url, seconds });
  const measured = await interleave(all.servers, scale, signInAll, ({ completed }) => completed);

  const ours = figure(measured, tokend.name);
  const native = figure(measured, handWritten.name);
  const tweetnacl = figure(measured, handWrittenTweetnacl.name);
  return {
    goals: [
      atLeast(ours.perSecond / native.perSecond, 0.85, "the hand-written limit, native Ed25519"),
      atLeast(ours.perSecond / tweetnacl.perSecond, 10, "the same with tweetnacl"),
    ],
    figures: loadFigures(measured, "sign-ins"),
    notes: ["Latencies are those of single requests; a sign-in has two."],
  };
}

async function checkAnswers(server: Running): Promise<void> {
  const { privateKey, wallet } = newWallet();
  const challenge = async () => {
    const { body } = await ask(server, "/api/auth/challenge", { json: { wallet } });
    return String(body.nonce);
  };
  const verify = (nonce: string, signature: Uint8Array) => {
    const json = { wallet, nonce, signature: bs58.encode(signature) };
    return ask(server, "/api/auth/verify", { json });
  };
  const signed = (nonce: string) => sign(null, Buffer.from(signInMessage(nonce)), privateKey);
  const nonce = await challenge();
  const session = await verify(nonce, signed(nonce));
  expectAnswer(server, session, 200, { token: session.body.token });
  const token = String(session.body.token);
  expectAnswer(server, await ask(server, "/api/v1/tokens/", { token }), 200, { tokens: [] });
  expectAnswer(server, await verify(nonce, signed(nonce)), 401);
  const other = await challenge();
  expectAnswer(server, await verify(other, signed(nonce)), 401);
}

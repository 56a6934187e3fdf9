import { type Connection, SYSVAR_CLOCK_PUBKEY } from "@solana/web3.js";
import type { Clock } from "../../base/clock.ts";
import { describePace } from "../../domain/cluster-pace.ts";
import { clusterProblem } from "../../launchpad/chain/cluster.ts";
import { readUnixSeconds, readWithRent } from "../../launchpad/chain/launch-state.ts";
import { readClusterPace, readMsPerBlock } from "../../solana/cluster-pace.ts";
import { createConnection } from "../../solana/connection.ts";
import { clockProblem, clusterName, isHealthy, tryMethods } from "../../solana/health.ts";
import { readRpcError } from "../../solana/rpc-answer.ts";
import { maxLag } from "../../solana/rpc-nodes.ts";
import { attempt, type Finding, failure, messageOf, ok, warning } from "./finding.ts";

interface AskedNode {
  readonly connection: Connection;
  readonly clock: Clock;
  /** Genesis hash of the database's cluster; null if it is not known. */
  readonly bound: string | null;
  readonly isOne?: boolean;
}

/** Checks a node. Returns whether it is on the right cluster. */
export async function* checkNode({
  connection,
  clock,
  bound,
  isOne = true,
}: AskedNode): AsyncGenerator<Finding, boolean> {
  const cluster = await attempt("RPC", () => checkRpc(connection, bound));
  yield cluster;
  if (cluster.verdict === "failure") return false;
  yield await attempt("clock", () => checkClock(connection, clock));
  yield await attempt("pace", async () =>
    ok("pace", describePace(await readClusterPace(connection))),
  );
  const faults = await tryMethods(connection, isOne);
  if (faults.length === 0) yield ok("methods", "the node answers all that launches and claims ask");
  for (const { isRequired, text } of faults)
    yield (isRequired ? failure : warning)("methods", text);
  return true;
}

async function checkRpc(connection: Connection, bound: string | null): Promise<Finding> {
  const [genesis, version] = await Promise.all([
    connection.getGenesisHash(),
    connection.getVersion().then((answer) => answer["solana-core"], orUnknown),
  ]);
  if (bound !== null && bound !== genesis) return failure("RPC", clusterProblem(bound, genesis));
  return ok("RPC", `${clusterName(genesis)}, node version ${version}`);
}

/** A node may refuse to say its version: nothing else asks for it. */
function orUnknown(error: unknown): string {
  if (readRpcError(error)) return "unknown";
  throw error;
}

async function checkClock(connection: Connection, clock: Clock): Promise<Finding> {
  const { accounts } = await readWithRent({ connection }, [SYSVAR_CLOCK_PUBKEY]);
  const blockTime = readUnixSeconds(accounts[0]?.data);
  if (blockTime === null) return warning("clock", "the cluster does not say its time");
  const problem = clockProblem(clock.now(), blockTime);
  if (problem !== null) return failure("clock", problem);
  return ok("clock", `${Math.round(clock.now() / 1000 - blockTime)} s from the cluster's`);
}

const TIMEOUT_MS = 5_000;

/** Warns of a node that does not work while another does. One on another cluster is a failure. */
export async function* checkNodes(
  urls: readonly string[],
  bound: string | null,
): AsyncGenerator<Finding> {
  const answers = await Promise.all(urls.map(askNode));
  const answered = answers.flatMap((each) => (each.problem === undefined ? each : []));
  const genesis = bound ?? answered[0]?.genesis;
  const best = Math.max(
    ...answered.filter((each) => each.genesis === genesis).map(({ slot }) => slot),
  );
  const [msPerBlock] = answered.flatMap((each) => each.msPerBlock ?? []);
  const allowed = maxLag(msPerBlock);
  const isUsable = (each: (typeof answered)[number]) =>
    each.genesis === genesis && each.healthy && best - each.slot <= allowed;
  const reference =
    bound === null
      ? `node ${answers.findIndex(({ problem }) => problem === undefined) + 1} is`
      : "this server's launches are";
  const dispensable = answered.some(isUsable) ? warning : failure;
  for (const [index, answer] of answers.entries()) {
    const subject = `RPC node ${index + 1}`;
    if (answer.problem !== undefined) yield dispensable(subject, answer.problem);
    else if (answer.genesis !== genesis) {
      const [name, own] = [answer.genesis, genesis ?? ""].map(clusterName);
      const text = `is on ${name}, but ${reference} on ${own}: set RPC_URL to nodes of one cluster`;
      yield failure(subject, text);
    } else {
      const lag = `${best - answer.slot} slots behind the best node`;
      const text = `is ${lag} or says that it is unhealthy, and is left out: check the provider`;
      if (isUsable(answer)) yield ok(subject, `${clusterName(answer.genesis)}, ${lag}`);
      else yield dispensable(subject, text);
    }
  }
}

async function askNode(url: string) {
  const connection = createConnection(url, { timeoutMs: TIMEOUT_MS });
  try {
    const [genesis, slot, healthy, msPerBlock] = await Promise.all([
      connection.getGenesisHash(),
      connection.getSlot(),
      isHealthy(connection),
      readMsPerBlock(connection),
    ]);
    return { genesis, slot, healthy, msPerBlock };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

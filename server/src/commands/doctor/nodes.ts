import type { Connection } from "@solana/web3.js";
import { describePace } from "../../domain/cluster-pace.ts";
import { clusterProblem } from "../../launchpad/chain/cluster.ts";
import { readClusterPace } from "../../solana/cluster-pace.ts";
import { clusterName, tryMethods } from "../../solana/health.ts";
import { remedyOf } from "../../solana/rpc-answer.ts";
import type { RpcNodes } from "../../solana/rpc-nodes.ts";
import { attempt, type Finding, failure, ok, warning } from "./finding.ts";

interface AskedNode {
  readonly connection: Connection;
  /** Genesis hash of the database's cluster; null if it is not known. */
  readonly bound: string | null;
  readonly isOne?: boolean;
}

/** Checks a node. Returns whether it is on the right cluster. */
export async function* checkNode({
  connection,
  bound,
  isOne = true,
}: AskedNode): AsyncGenerator<Finding, boolean> {
  const cluster = await attempt("RPC", () => checkRpc(connection, bound));
  yield cluster;
  if (cluster.verdict === "failure") return false;
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
  const genesis = await connection.getGenesisHash();
  if (bound !== null && bound !== genesis) return failure("RPC", clusterProblem(bound, genesis));
  return ok("RPC", clusterName(genesis));
}

/** Warns of a node that does not work while another does. One on another cluster is a failure. */
export async function* checkNodes(nodes: RpcNodes | null): AsyncGenerator<Finding> {
  if (nodes === null) return;
  await nodes.compared();
  const { all } = nodes;
  const dispensable = all.some(({ isUsable }) => isUsable) ? warning : failure;
  for (const { name, genesis, fault, problem } of all) {
    const subject = `RPC ${name}`;
    if (fault === null) yield ok(subject, clusterName(genesis ?? ""));
    else if (fault === "foreign") yield failure(subject, `${problem}: ${OF_ONE_CLUSTER}`);
    else yield dispensable(subject, `${problem}: ${remedyOf(fault)}`);
  }
}

const OF_ONE_CLUSTER = "set RPC_URL to nodes of one cluster";

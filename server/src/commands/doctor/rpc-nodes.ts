import { readMsPerBlock } from "../../solana/block-pace.ts";
import { createConnection } from "../../solana/connection.ts";
import { clusterName, isHealthy } from "../../solana/health.ts";
import { maxLag } from "../../solana/rpc-nodes.ts";
import { type Finding, failure, messageOf, ok, warning } from "./finding.ts";

type NodeAnswer =
  | {
      readonly genesis: string;
      readonly slot: number;
      readonly healthy: boolean;
      /** Null if it does not keep past blocks. */
      readonly msPerBlock: number | null;
    }
  | { readonly problem: string };

const TIMEOUT_MS = 5_000;

/** A node that does not work is a warning while another does; one of another cluster is a failure. */
export async function* checkNodes(
  urls: readonly string[],
  bound: string | null,
): AsyncGenerator<Finding> {
  const answers = await Promise.all(urls.map(askNode));
  const genesis = bound ?? answers.flatMap((each) => ("genesis" in each ? each.genesis : []))[0];
  const slots = answers.flatMap((each) =>
    "slot" in each && each.genesis === genesis ? each.slot : [],
  );
  const best = Math.max(...slots);
  const paces = answers.flatMap((each) => ("msPerBlock" in each ? (each.msPerBlock ?? []) : []));
  const allowed = maxLag(paces[0]);
  const isUsable = (each: NodeAnswer) =>
    "slot" in each && each.genesis === genesis && each.healthy && best - each.slot <= allowed;
  const reference =
    bound === null
      ? `node ${answers.findIndex((each) => "genesis" in each) + 1} is`
      : "this server's launches are";
  const dispensable = answers.some(isUsable) ? warning : failure;
  for (const [index, answer] of answers.entries()) {
    const subject = `RPC node ${index + 1}`;
    if ("problem" in answer) yield dispensable(subject, answer.problem);
    else if (answer.genesis !== genesis) {
      yield failure(
        subject,
        `is on ${clusterName(answer.genesis)}, but ${reference} on ${clusterName(genesis ?? "")}: ` +
          "set RPC_URL to nodes of one cluster",
      );
    } else {
      const lag = `${best - answer.slot} slots behind the best node`;
      if (isUsable(answer)) yield ok(subject, `${clusterName(answer.genesis)}, ${lag}`);
      else
        yield dispensable(
          subject,
          `is ${lag} or says that it is unhealthy, and is left out: check the provider`,
        );
    }
  }
}

async function askNode(url: string): Promise<NodeAnswer> {
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

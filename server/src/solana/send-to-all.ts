import { askAll, type Patience } from "./ask-nodes.ts";
import { RpcFailure } from "./connection.ts";
import {
  answerText,
  meaningOf,
  type RpcAnswer,
  type RpcRequest,
  refusalKind,
} from "./rpc-answer.ts";
import type { RpcNode } from "./rpc-node.ts";
import { PATIENCE_MS } from "./rpc-nodes.ts";
import type { SendRefusalKind } from "./send-refusal.ts";

export interface SendToAllOptions {
  /** All nodes that may be asked. */
  readonly nodes: readonly RpcNode[];
  /** The slot that a preflight's state must have reached. */
  readonly floor: number;
  readonly ask: (node: RpcNode, request: RpcRequest) => Promise<RpcAnswer>;
  /** Called with the nodes that are silent although another took the transaction, while they are. */
  readonly blameLater: (silent: ReadonlySet<RpcNode>) => void;
  readonly clock: Patience["clock"];
  /** Waits for about a slot. */
  readonly pause: () => Promise<void>;
}

/** How often a transaction is sent again because all nodes are behind its blockhash. */
const TRIES = 4;

/** Refusals that are about the transaction. Others are about the node's state. */
const ABOUT_TRANSACTION: ReadonlySet<SendRefusalKind> = new Set(["payer", "program", "signature"]);

/**
 * Sends a transaction to all nodes at once; however many nodes send it, it lands once. The first node
 * that takes it counts. A refusal counts only if every node refuses it for the same reason.
 *
 * @returns the body of the answer
 * @throws {RpcFailure} no node took it, and one gave no answer: it may have arrived
 */
export async function sendToAll(request: RpcRequest, options: SendToAllOptions): Promise<string> {
  const sent = atFloor(request, options.floor);
  for (let tries = 1; ; tries++) {
    const { taken, refusals, failure } = await sendOnce(sent, options);
    if (taken) return taken.text;
    if (failure) throw failure;
    const kinds = new Set(refusals.map(({ error }) => error && refusalKind(error)));
    const isTooEarly = refusals.some(({ error }) => error && isBehind(error));
    if (isTooEarly && tries < TRIES) {
      await options.pause();
      continue;
    }
    const [refusal] = refusals;
    const isAgreed = kinds.size === 1;
    if (refusal && isAgreed) return refusal.text;
    const unclear = refusals.find(
      ({ error }) => error && !ABOUT_TRANSACTION.has(refusalKind(error)),
    );
    return unclear?.text ?? answerText(request, { error: DISAGREEMENT });
  }
}

const DISAGREEMENT = { code: -32005, message: "The nodes gave different answers" };

function isBehind(error: NonNullable<RpcAnswer["error"]>): boolean {
  return meaningOf(error) === "behind" || refusalKind(error) === "blockhash";
}

async function sendOnce(request: RpcRequest, { nodes, ask, blameLater, clock }: SendToAllOptions) {
  const open = new Set(nodes);
  const { answers, errors, missing } = await askAll(
    nodes.map((node) => ask(node, request).finally(() => open.delete(node))),
    ({ error }) => error === null,
    { clock, milliseconds: PATIENCE_MS },
  );
  const taken = answers.find(({ error }) => error === null);
  if (taken) blameLater(open);
  const silent = missing > 0 ? new RpcFailure("timeout", request.method, "a node is silent") : null;
  const failed = errors.find((error) => error instanceof RpcFailure) ?? null;
  return { taken, refusals: answers, failure: failed ?? silent ?? errors[0] ?? null };
}

/** Lets a node that is behind say so, instead of refusing the transaction by an old state. */
function atFloor(request: RpcRequest, floor: number): RpcRequest {
  const [transaction, config] = request.params;
  if (floor === 0 || typeof config !== "object" || config === null) return request;
  if ("skipPreflight" in config && config.skipPreflight === true) return request;
  const params = [transaction, { minContextSlot: floor, ...config }];
  return {
    ...request,
    params,
    body: JSON.stringify({ ...JSON.parse(request.body), params }),
  };
}

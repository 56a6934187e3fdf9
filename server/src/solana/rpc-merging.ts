import { answerText, certaintyOf, type RpcAnswer, type RpcRequest } from "./rpc-answer.ts";

interface Merging {
  isEnough(result: unknown): boolean;
  merge(request: RpcRequest, answers: readonly RpcAnswer[]): RpcAnswer;
}

interface Statuses {
  readonly context: { readonly slot: number };
  readonly value: readonly ({ readonly slot?: unknown } | null)[];
}

const statuses: Merging = {
  isEnough: (result) => (result as Statuses).value.every((entry) => certaintyOf(entry) > 0),
  merge(request, answers) {
    const all = answers.map(({ result }) => result as Statuses);
    // That a transaction is unknown holds for the oldest state of those that do not know it.
    const slot = Math.min(...all.map(({ context }) => context.slot));
    const value = (all[0]?.value ?? []).map((_, index) =>
      all
        .map((each) => each.value[index] ?? null)
        .reduce((best, entry) => (certaintyOf(entry) > certaintyOf(best) ? entry : best)),
    );
    const result = { context: { slot }, value };
    return { text: answerText(request, { result }), result, error: null, slot };
  },
};

const transaction: Merging = {
  isEnough: (result) => result !== null,
  merge: (_, answers) => first(answers.filter(({ result }) => result !== null).concat(answers)),
};

const height: Merging = {
  isEnough: () => false,
  merge: (_, answers) => first(answers.toSorted((a, b) => heightOf(a) - heightOf(b))),
};

const heightOf = ({ result }: RpcAnswer) => (result as { blockHeight: number }).blockHeight;

function first(answers: readonly RpcAnswer[]): RpcAnswer {
  const [answer] = answers;
  if (!answer) throw new Error("no answers to merge");
  return answer;
}

/**
 * Requests whose answer may end the wait for a transaction. That it has expired is the one wrong
 * answer that could have it signed twice, so no node alone is believed: the lowest block height of
 * all nodes in use must be past its last one, and after that slot none may find it in its history.
 * In use are nodes of the right cluster that answer sensibly, at most 12 s behind; if only one is
 * left, its word counts.
 */
export function mergingOf({ method, params }: RpcRequest): Merging | null {
  if (method === "getTransaction") return transaction;
  if (method === "getEpochInfo") return height;
  if (method !== "getSignatureStatuses") return null;
  const { searchTransactionHistory } = Object(params[1]) as Record<string, unknown>;
  return searchTransactionHistory === true ? statuses : null;
}

/**
 * A confirmed slot that an answer proves. Statuses are read at the processed slot, which is ahead of
 * the confirmed one; only the slots of confirmed transactions count.
 */
export function confirmedSlot({ method }: RpcRequest, { error, result, slot }: RpcAnswer): number {
  if (error || method !== "getSignatureStatuses") return slot ?? 0;
  const { value } = result as Statuses;
  const slots = value.map((entry) => (certaintyOf(entry) > 0 ? entry?.slot : 0));
  return Math.max(0, ...slots.filter((each): each is number => Number.isSafeInteger(each)));
}

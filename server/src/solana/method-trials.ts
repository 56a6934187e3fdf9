import { TOKEN_2022_PROGRAM_ID } from "@solana/spl-token";
import { type Connection, PublicKey } from "@solana/web3.js";
import { HIGHEST_VERSION } from "@tokenctl/shared/wire-transaction";
import { COMMITMENT, rawRequest } from "./connection.ts";
import { compileMessage, MAX_UNITS } from "./message.ts";
import { RpcError, readRpcError } from "./rpc-answer.ts";
import { simulate } from "./simulate.ts";

export interface MethodFault {
  /** For operators: the method, what to do, and what does not work until then. */
  readonly text: string;
  readonly isRequired: boolean;
}

type Params = readonly unknown[];

interface Trial {
  readonly method: string;
  /** Default: a request without parameters. */
  readonly ask?: Params | ((connection: Connection) => Promise<unknown>);
  /** What waits without this method; `without` describes a lesser effect. */
  readonly waiting?: string;
  readonly without?: string;
}

const ALL = "launches and claims";
const AT = { commitment: COMMITMENT };
const STRANGER = new PublicKey(new Uint8Array(32).fill(1));
const SIGNATURE = "1".repeat(64);
const DRAFT = { payer: STRANGER, instructions: [] };
const MESSAGE = compileMessage({
  ...DRAFT,
  version: "legacy",
  budget: { units: MAX_UNITS, price: 0n },
  blockhash: "1".repeat(32),
});

/** One harmless request for each method that launches and claims use, except account reads. */
const TRIALS: readonly Trial[] = [
  { method: "simulateTransaction", ask: (through) => simulate(through, DRAFT), waiting: ALL },
  { method: "sendTransaction", ask: sendNothing, waiting: ALL },
  { method: "getEpochInfo", ask: [AT], waiting: ALL },
  {
    method: "getSignatureStatuses",
    ask: [[SIGNATURE], { searchTransactionHistory: true }],
    waiting: ALL,
  },
  {
    method: "getTransaction",
    ask: [SIGNATURE, { maxSupportedTransactionVersion: HIGHEST_VERSION }],
    waiting: "claims",
  },
  {
    method: "getTokenAccountsByOwner",
    ask: [STRANGER, { programId: TOKEN_2022_PROGRAM_ID }, { encoding: "base64" }],
    without: "fees of tokens that have migrated cannot be read or claimed",
  },
  {
    method: "getSignaturesForAddress",
    ask: [STRANGER, { limit: 1 }],
    without: "claims that have expired stay open, and migrated tokens cannot be handed over",
  },
  {
    method: "getLatestBlockhash",
    ask: [AT],
    without: `${ALL} wait if simulations name no blockhash`,
  },
  {
    method: "getFeeForMessage",
    ask: [Buffer.from(MESSAGE).toString("base64"), AT],
    without: `${ALL} wait if simulations name no fee`,
  },
  {
    method: "getRecentPrioritizationFees",
    ask: [[]],
    without: "transactions bid what was last known, or nothing",
  },
  { method: "getHealth", without: "a node that is behind is noticed by its slots alone" },
];

/** Sends an empty transaction: a node that accepts transactions refuses it. */
async function sendNothing(connection: Connection): Promise<void> {
  try {
    await rawRequest(connection, "sendTransaction", ["", { encoding: "base64" }]);
  } catch (error) {
    if (!(error instanceof RpcError && error.kind === "refused")) throw error;
  }
}

/** @param isOne false skips the trial send: of several nodes, one that accepts sends is enough */
export async function tryMethods(connection: Connection, isOne: boolean): Promise<MethodFault[]> {
  const trials = TRIALS.filter(({ ask }) => isOne || ask !== sendNothing);
  const faults = await Promise.all(trials.map((trial) => faultOf(connection, trial)));
  return faults.filter((fault) => fault !== null);
}

async function faultOf(
  connection: Connection,
  { method, ask = [], waiting, without = `${waiting} wait` }: Trial,
): Promise<MethodFault | null> {
  try {
    await (typeof ask === "function" ? ask(connection) : rawRequest(connection, method, ask));
    return null;
  } catch (error) {
    const failure = readRpcError(error);
    if (failure === null) throw error;
    // A temporary problem, which the checks of the cluster and of the nodes report.
    if (failure.kind === "behind" || failure.kind === "unhealthy") return null;
    const named = failure.isOfMethod ? failure.advice : `${failure.sentence} (${method})`;
    return { text: `${named}. Until then ${without}`, isRequired: waiting !== undefined };
  }
}

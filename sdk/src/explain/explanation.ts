/** How a transaction is explained. */
export interface ExplainOptions {
  /** What wallets are called in the texts, by their addresses, for example `your wallet`. */
  names?: Readonly<Record<string, string>>;
  /** Of a text. Default: the one of the two in which it is a transaction. */
  encoding?: "base64" | "base58";
}

/** What a transaction does, read from its bytes alone. Addresses are base58. */
export interface ExplainedTransaction {
  /** Of the whole transaction; at most 1232, in version 1 at most 4096. */
  bytes: number;
  version: "legacy" | 0 | 1;
  /** The first one pays the network fee. */
  signers: ExplainedSigner[];
  /** The most that the network takes; null if its budget cannot be read. */
  networkFeeLamports: bigint | null;
  instructions: ExplainedInstruction[];
  /** Instructions that are not known: what they do is not said. */
  unknown: number;
}

/** A wallet or mint that has to sign. */
export interface ExplainedSigner {
  address: string;
  /** Whether its signature is there, and is one of this transaction. */
  signature: "valid" | "invalid" | "missing";
}

/** One instruction, in words. */
export interface ExplainedInstruction {
  program: string;
  /** Null if the program is not known. */
  programName: string | null;
  /** The program's own name for it, for example `TransferChecked`; null if it is not known. */
  name: string | null;
  /** For example `Transfers 0.5 SOL from the fee payer to 7xKX…`. */
  text: string;
  /** What it can move, as far as the bytes say it. */
  moves: ExplainedMove[];
  /** Whom it lets take, change or stop something from then on. */
  gives: ExplainedPower[];
}

/** Power over an account or a token that an instruction gives away. */
export interface ExplainedPower {
  /** For example `owner`, `delegate` or `nonce authority`. */
  role: string;
  /** The account, mint, pool or wallet. */
  over: string;
  /** A wallet or a program; null if the bytes do not name it. */
  to: string | null;
}

/** SOL or tokens that an instruction moves. */
export interface ExplainedMove {
  /** `SOL`, or a mint; null if the bytes do not name the token. */
  asset: string | null;
  /** Lamports, or the token's smallest unit; null if the bytes do not say how much. */
  amount: bigint | null;
  /** A wallet, a token account, or a pool. */
  from: string;
  to: string;
}

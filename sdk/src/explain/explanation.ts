/** What a transaction does, read only from its bytes. Addresses are base58. */
export interface ExplainedTransaction {
  /** The length of the transaction: at most 1232, or 4096 in version 1. */
  bytes: number;
  version: "legacy" | 0 | 1;
  /** The first one pays the network fee. */
  signers: ExplainedSigner[];
  /** The maximum network fee; null if the compute budget cannot be read. */
  networkFeeLamports: bigint | null;
  instructions: ExplainedInstruction[];
  /** The number of unknown instructions, which are not explained. */
  unknown: number;
}

/** A wallet or mint that has to sign. */
export interface ExplainedSigner {
  address: string;
  /** Whether its signature is present and valid for this transaction. */
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
  /** Lasting powers that it gives, such as to take, change or stop something. */
  gives: ExplainedPower[];
}

/** A power over an account or a token that an instruction gives. */
export interface ExplainedPower {
  /** For example `owner`, `delegate` or `nonce authority`. */
  role: string;
  /** The account, mint, pool or wallet. */
  over: string;
  /** A wallet or a program; null if the bytes do not name it. */
  to: string | null;
}

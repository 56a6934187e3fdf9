import type { FailedTransactionMetadata } from "litesvm/dist/internal";

/** An instruction's error in the RPC's form: `"InvalidArgument"` or `{"Custom": 6000}`. */
type InstructionError = string | { readonly Custom: number };

/**
 * A transaction's error in the RPC's form (agave `UiTransactionError`): `"BlockhashNotFound"`,
 * `{"InstructionError": [0, {"Custom": 1}]}`, `{"InsufficientFundsForRent": {"account_index": 0}}`.
 */
export type TransactionError =
  | string
  | { readonly InstructionError: readonly [index: number, error: InstructionError] }
  | { readonly DuplicateInstruction: number }
  | { readonly InsufficientFundsForRent: { readonly account_index: number } }
  | { readonly ProgramExecutionTemporarilyRestricted: { readonly account_index: number } };

/** LiteSVM's error in the RPC's form. */
export function transactionErrorOf(failed: FailedTransactionMetadata): TransactionError {
  const error = failed.err();
  if (typeof error === "number") return TRANSACTION_ERRORS[error]?.name ?? `Unknown${error}`;
  if ("err" in error) return { InstructionError: [error.index, instructionErrorOf(error.err())] };
  if ("index" in error) return { DuplicateInstruction: error.index };
  const restricted = error.constructor.name.includes("Restricted");
  const index = { account_index: error.accountIndex };
  return restricted
    ? { ProgramExecutionTemporarilyRestricted: index }
    : { InsufficientFundsForRent: index };
}

function instructionErrorOf(
  error: number | { readonly code: number } | { readonly msg: string },
): InstructionError {
  if (typeof error === "number") return INSTRUCTION_ERRORS[error]?.name ?? `Unknown${error}`;
  return "code" in error ? { Custom: error.code } : "BorshIoError";
}

/**
 * A node's text for the error, for example `Error processing Instruction 0: custom program error:
 * 0x1` (solana-transaction-error, `Display` of `TransactionError`).
 */
export function describeTransactionError(error: TransactionError): string {
  if (typeof error === "string") return textOf(TRANSACTION_ERRORS, error);
  if ("InstructionError" in error) {
    const [index, cause] = error.InstructionError;
    const text =
      typeof cause === "string"
        ? textOf(INSTRUCTION_ERRORS, cause)
        : `custom program error: 0x${cause.Custom.toString(16)}`;
    return `Error processing Instruction ${index}: ${text}`;
  }
  if ("DuplicateInstruction" in error) {
    return `Transaction contains a duplicate instruction (${error.DuplicateInstruction}) that is not allowed`;
  }
  if ("InsufficientFundsForRent" in error) {
    const index = error.InsufficientFundsForRent.account_index;
    return `Transaction results in an account (${index}) with insufficient funds for rent`;
  }
  const index = error.ProgramExecutionTemporarilyRestricted.account_index;
  return `Execution of the program referenced by account at index ${index} is temporarily restricted.`;
}

function textOf(table: readonly NamedError[], name: string): string {
  return table.find((known) => known.name === name)?.text ?? name;
}

/**
 * Names and texts of Solana's transaction and instruction errors. Their order is the numbering of
 * LiteSVM's binding (`TransactionErrorFieldless` and `InstructionErrorFieldless` in its type
 * declarations; it has no names at run time). The texts are those of nodes, because clients match
 * them (anza-xyz/solana-sdk, `Display` of `TransactionError` and of `InstructionError`).
 */
const TRANSACTION_ERRORS = table(`
AccountInUse Account in use
AccountLoadedTwice Account loaded twice
AccountNotFound Attempt to debit an account but found no record of a prior credit.
ProgramAccountNotFound Attempt to load a program that does not exist
InsufficientFundsForFee Insufficient funds for fee
InvalidAccountForFee This account may not be used to pay transaction fees
AlreadyProcessed This transaction has already been processed
BlockhashNotFound Blockhash not found
CallChainTooDeep Loader call chain is too deep
MissingSignatureForFee Transaction requires a fee but has no signature present
InvalidAccountIndex Transaction contains an invalid account reference
SignatureFailure Transaction did not pass signature verification
InvalidProgramForExecution This program may not be used for executing instructions
SanitizeFailure Transaction failed to sanitize accounts offsets correctly
ClusterMaintenance Transactions are currently disabled due to cluster maintenance
AccountBorrowOutstanding Transaction processing left an account with an outstanding borrowed reference
WouldExceedMaxBlockCostLimit Transaction would exceed max Block Cost Limit
UnsupportedVersion Transaction version is unsupported
InvalidWritableAccount Transaction loads a writable account that cannot be written
WouldExceedMaxAccountCostLimit Transaction would exceed max account limit within the block
WouldExceedAccountDataBlockLimit Transaction would exceed account data limit within the block
TooManyAccountLocks Transaction locked too many accounts
AddressLookupTableNotFound Transaction loads an address table account that doesn't exist
InvalidAddressLookupTableOwner Transaction loads an address table account with an invalid owner
InvalidAddressLookupTableData Transaction loads an address table account with invalid data
InvalidAddressLookupTableIndex Transaction address table lookup uses an invalid index
InvalidRentPayingAccount Transaction leaves an account with a lower balance than rent-exempt minimum
WouldExceedMaxVoteCostLimit Transaction would exceed max Vote Cost Limit
WouldExceedAccountDataTotalLimit Transaction would exceed total account data limit
MaxLoadedAccountsDataSizeExceeded Transaction exceeded max loaded accounts data size cap
ResanitizationNeeded ResanitizationNeeded
InvalidLoadedAccountsDataSizeLimit LoadedAccountsDataSizeLimit set for transaction must be greater than 0.
UnbalancedTransaction Sum of account balances before and after transaction do not match
ProgramCacheHitMaxLimit Program cache hit max limit
CommitCancelled CommitCancelled
`);

const INSTRUCTION_ERRORS = table(`
GenericError generic instruction error
InvalidArgument invalid program argument
InvalidInstructionData invalid instruction data
InvalidAccountData invalid account data for instruction
AccountDataTooSmall account data too small for instruction
InsufficientFunds insufficient funds for instruction
IncorrectProgramId incorrect program id for instruction
MissingRequiredSignature missing required signature for instruction
AccountAlreadyInitialized instruction requires an uninitialized account
UninitializedAccount instruction requires an initialized account
UnbalancedInstruction sum of account balances before and after instruction do not match
ModifiedProgramId instruction illegally modified the program id of an account
ExternalAccountLamportSpend instruction spent from the balance of an account it does not own
ExternalAccountDataModified instruction modified data of an account it does not own
ReadonlyLamportChange instruction changed the balance of a read-only account
ReadonlyDataModified instruction modified data of a read-only account
DuplicateAccountIndex instruction contains duplicate accounts
ExecutableModified instruction changed executable bit of an account
RentEpochModified instruction modified rent epoch of an account
NotEnoughAccountKeys insufficient account keys for instruction
AccountDataSizeChanged program other than the account's owner changed the size of the account data
AccountNotExecutable instruction expected an executable account
AccountBorrowFailed instruction tries to borrow reference for an account which is already borrowed
AccountBorrowOutstanding instruction left account with an outstanding borrowed reference
DuplicateAccountOutOfSync instruction modifications of multiply-passed account differ
InvalidError program returned invalid error code
ExecutableDataModified instruction changed executable accounts data
ExecutableLamportChange instruction changed the balance of an executable account
ExecutableAccountNotRentExempt executable accounts must be rent exempt
UnsupportedProgramId Unsupported program id
CallDepth Cross-program invocation call depth too deep
MissingAccount An account required by the instruction is missing
ReentrancyNotAllowed Cross-program invocation reentrancy not allowed for this instruction
MaxSeedLengthExceeded Length of the seed is too long for address generation
InvalidSeeds Provided seeds do not result in a valid address
InvalidRealloc Failed to reallocate account data
ComputationalBudgetExceeded Computational budget exceeded
PrivilegeEscalation Cross-program invocation with unauthorized signer or writable account
ProgramEnvironmentSetupFailure Failed to create program execution environment
ProgramFailedToComplete Program failed to complete
ProgramFailedToCompile Program failed to compile
Immutable Account is immutable
IncorrectAuthority Incorrect authority provided
AccountNotRentExempt An account does not have enough lamports to be rent-exempt
InvalidAccountOwner Invalid account owner
ArithmeticOverflow Program arithmetic overflowed
UnsupportedSysvar Unsupported sysvar
IllegalOwner Provided owner is not allowed
MaxAccountsDataAllocationsExceeded Accounts data allocations exceeded the maximum allowed per transaction
MaxAccountsExceeded Max accounts exceeded
MaxInstructionTraceLengthExceeded Max instruction trace length exceeded
BuiltinProgramsMustConsumeComputeUnits Builtin programs must consume compute units
BorshIoError Failed to serialize or deserialize account data
`);

interface NamedError {
  readonly name: string;
  readonly text: string;
}

/** @param lines a name and its text each */
function table(lines: string): NamedError[] {
  return Array.from(lines.matchAll(/^(\w+) (.+)$/gm), ([, name = "", text = ""]) => ({
    name,
    text,
  }));
}

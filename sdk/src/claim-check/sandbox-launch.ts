import { TOKEN_DECIMALS } from "@tokenctl/shared/limits";
import { WRAPPED_SOL_MINT } from "@tokenctl/shared/payout";
import { SYSTEM, TOKEN } from "@tokenctl/shared/programs/ids";
import type { BuiltInstruction } from "@tokenctl/shared/programs/program";
import { NO_LIMIT } from "@tokenctl/shared/programs/recipes";
import { associatedToken, system } from "@tokenctl/shared/programs/solana";
import { token } from "@tokenctl/shared/programs/token";
import bs58 from "bs58";
import { builder as on } from "../internal/program-address.ts";
import { OVERHEAD_BYTES, TOKEN_ACCOUNT_BYTES } from "./cost.ts";
import { type ClaimInstruction, refuseTransaction, tryRead } from "./instruction.ts";
import { sandboxVaults, VAULT_SEEDS } from "./parties.ts";
import type { CheckedLaunch, LaunchTerms } from "./terms.ts";

/** The launch that an agent expects; any other transaction is a forgery. */
export interface ExpectedLaunch
  extends Omit<CheckedLaunch, "networkFeeLamports" | "firstBuyLamports"> {
  /** All signers except the agent. */
  readonly signers: readonly string[];
  /** All instructions except the compute budget's and the mark. */
  readonly instructions: readonly BuiltInstruction[];
}

const MINT_BYTES = 82n;
/** Kinds of authority of `SetAuthority`. */
const [MINT_AUTHORITY, CLOSE_AUTHORITY] = [0, 3];

/** The pool's account has no data, so that its lamports show the sandbox's rent. */
export function sandboxLaunch(
  own: readonly ClaimInstruction[],
  { agent, firstBuy }: LaunchTerms,
): ExpectedLaunch {
  const [pool = "", mint = ""] = own.map(({ accounts }) => accounts[1]);
  const [to = ""] = sandboxVaults(bs58.decode(pool));
  const baseVault = on.associated(pool, mint, TOKEN);
  const lamportsPerByte = argOf(own[0], "lamports") / OVERHEAD_BYTES;
  const sized = (bytes: bigint, owner: string) => ({
    lamports: (OVERHEAD_BYTES + bytes) * lamportsPerByte,
    space: bytes,
    owner,
  });
  const making = { decimals: TOKEN_DECIMALS, mintAuthority: pool, freezeAuthority: null };
  const noMore = { kind: MINT_AUTHORITY, authority: null };
  const role = { kind: CLOSE_AUTHORITY, authority: agent };
  const minted = { amount: argOf(own[4], "amount") };
  const vault = sized(TOKEN_ACCOUNT_BYTES - OVERHEAD_BYTES, TOKEN);
  const sown = { base: pool, seed: VAULT_SEEDS[0], ...vault };
  const feeVault = { account: to, mint: WRAPPED_SOL_MINT };
  const approved = { source: to, delegate: agent, owner: pool };
  const from = agent;
  const instructions = [
    on.build(system, "CreateAccount", { from, to: pool }, sized(0n, SYSTEM)),
    on.build(system, "CreateAccount", { from, to: mint }, sized(MINT_BYTES, TOKEN)),
    on.build(token, "InitializeMint2", { mint }, making),
    on.build(associatedToken, "Create", { payer: agent, owner: pool, mint }, {}),
    on.build(token, "MintTo", { mint, account: baseVault, owner: pool }, minted),
    on.build(token, "SetAuthority", { account: mint, owner: pool }, noMore),
    on.build(token, "SetAuthority", { account: baseVault, owner: pool }, role),
    on.build(associatedToken, "Create", { payer: agent, owner: pool }, {}),
    on.build(system, "CreateAccountWithSeed", { from, to }, sown, [pool]),
    on.build(token, "InitializeAccount3", feeVault, { owner: pool }),
    on.build(token, "Approve", approved, { amount: NO_LIMIT }),
  ];
  const launch = {
    signers: [pool, mint],
    tokenMint: mint,
    poolAddress: pool,
    tokenStandard: "spl",
    metadataFeeLamports: 0n,
    lamportsPerByte,
  } as const;
  const rentBytes = 2n * OVERHEAD_BYTES + MINT_BYTES + 3n * TOKEN_ACCOUNT_BYTES;
  if (!firstBuy) return { ...launch, rentBytes, instructions };
  const [paid, fee] = [argOf(own[12], "lamports"), argOf(own[14], "lamports")];
  const amount = argOf(own[16], "amount");
  if (paid + fee !== firstBuy.lamports || amount < firstBuy.minUnits) {
    refuseTransaction(`it buys ${amount} units for ${paid + fee} lamports`);
  }
  const pay = (account: string, lamports: bigint) => [
    on.build(system, "Transfer", { from, to: account }, { lamports }),
    on.build(token, "SyncNative", { account }, {}),
  ];
  const destination = on.associated(agent, mint, TOKEN);
  const bought = { source: baseVault, destination, owner: pool };
  const buy = [
    on.build(associatedToken, "CreateIdempotent", { payer: agent, owner: agent, mint }, {}),
    ...pay(on.associated(pool, WRAPPED_SOL_MINT, TOKEN), paid),
    ...pay(to, fee),
    on.build(token, "Transfer", bought, { amount }),
  ];
  return {
    ...launch,
    rentBytes: rentBytes + TOKEN_ACCOUNT_BYTES,
    instructions: [...instructions, ...buy],
  };
}

/** Returns an amount from an instruction's arguments; 0 if there is none. */
function argOf(one: ClaimInstruction | undefined, name: "amount" | "lamports"): bigint {
  const value = tryRead(one)?.args[name];
  return typeof value === "bigint" ? value : 0n;
}

import { ComputeBudgetProgram, type Keypair, type PublicKey, SystemProgram } from "@solana/web3.js";
import { encode } from "@tokenctl/shared/programs/codec";
import { SANDBOX_MINT } from "@tokenctl/shared/programs/sandbox";
import { token } from "@tokenctl/shared/programs/token";
import { signedBytes } from "../base/native-keys.ts";
import { type AccountChange, type AddressLike, addressBytes } from "./accounts.ts";
import type { Engine } from "./engine.ts";
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from "./well-known.ts";

export interface NewAccount {
  readonly lamports: bigint;
  readonly owner: AddressLike;
  readonly data?: Uint8Array;
}

export function newAccount(
  address: AddressLike,
  { lamports, owner, data = new Uint8Array() }: NewAccount,
): AccountChange {
  return {
    address: addressBytes(address),
    account: { lamports, owner: addressBytes(owner), data, executable: false },
  };
}

const FAUCET_LAMPORTS = 500_000_000_000_000_000n;

/** A mint without authorities, supply and decimals. */
const MARKER_MINT = encode(token.accounts.Mint.fields, {
  mintAuthority: null,
  supply: 0n,
  decimals: 0,
  isInitialized: true,
  freezeAuthority: null,
});

/** Returns the accounts of a new ledger: the faucet, the mint that marks a sandbox, native mints. */
export function genesisAccounts(engine: Engine, faucet: PublicKey): AccountChange[] {
  const lamports = engine.rentExemption(MARKER_MINT.length);
  return [
    ...engine.nativeMints(),
    newAccount(faucet, { lamports: FAUCET_LAMPORTS, owner: SYSTEM_PROGRAM }),
    newAccount(SANDBOX_MINT, { lamports, owner: TOKEN_PROGRAM, data: MARKER_MINT }),
  ];
}

/** Above the 300 compute units that an airdrop needs. */
const MIN_COMPUTE_UNITS = 1_000;
const COMPUTE_UNIT_CHOICES = 1_000_000;

/** Returns the signed bytes of an airdrop. Its number must differ from others of the same slot. */
export function airdropTransaction(
  faucet: Keypair,
  { to, lamports }: { readonly to: PublicKey; readonly lamports: bigint },
  { blockhash, number }: { readonly blockhash: string; readonly number: number },
): Uint8Array {
  // Two equal airdrops within a slot would be the same transaction. A different compute limit makes
  // them differ, and has no other effect.
  const units = MIN_COMPUTE_UNITS + (number % COMPUTE_UNIT_CHOICES);
  return signedBytes([faucet], blockhash, [
    ComputeBudgetProgram.setComputeUnitLimit({ units }),
    SystemProgram.transfer({ fromPubkey: faucet.publicKey, toPubkey: to, lamports }),
  ]);
}

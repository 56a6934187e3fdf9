import { PublicKey } from "@solana/web3.js";

const bytes = (address: string): Uint8Array => new PublicKey(address).toBytes();

export const SYSTEM_PROGRAM = bytes("11111111111111111111111111111111");
export const TOKEN_PROGRAM = bytes("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
export const TOKEN_2022_PROGRAM = bytes("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb");
export const COMPUTE_BUDGET_PROGRAM = bytes("ComputeBudget111111111111111111111111111111");
export const NATIVE_MINT = bytes("So11111111111111111111111111111111111111112");
export const NATIVE_MINT_2022 = bytes("9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP");

const ED25519_PROGRAM = bytes("Ed25519SigVerify111111111111111111111111111");
const SECP256K1_PROGRAM = bytes("KeccakSecp256k11111111111111111111111111111");

/** The owners of programs and program data. */
export const LOADERS = [
  bytes("BPFLoader1111111111111111111111111111111111"),
  bytes("BPFLoader2111111111111111111111111111111111"),
  bytes("BPFLoaderUpgradeab1e11111111111111111111111"),
  bytes("LoaderV411111111111111111111111111111111111"),
] as const;

/**
 * Programs whose instructions add only 3,000 units to the default compute limit. Source: agave,
 * `builtins-default-costs`, without those migrated to BPF.
 */
export const BUILTIN_PROGRAMS = [
  SYSTEM_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  ...LOADERS,
  ED25519_PROGRAM,
  SECP256K1_PROGRAM,
] as const;

/** Precompiles that verify signatures. Each signature costs the fee of one. */
export const SIGNATURE_PROGRAMS = [
  ED25519_PROGRAM,
  SECP256K1_PROGRAM,
  bytes("Secp256r1SigVerify1111111111111111111111111"),
] as const;

// The addresses of a claim's programs, written out so that no library can change what the check expects.

export const SYSTEM_PROGRAM = "11111111111111111111111111111111";
export const COMPUTE_BUDGET_PROGRAM = "ComputeBudget111111111111111111111111111111";
/** SPL Token. Source: spl-token 0.4, `TOKEN_PROGRAM_ID`. */
export const TOKEN_PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
/** Token-2022. Source: spl-token 0.4, `TOKEN_2022_PROGRAM_ID`. */
export const TOKEN_2022_PROGRAM = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb";
/** Associated Token Account. Source: spl-token 0.4, `ASSOCIATED_TOKEN_PROGRAM_ID`. */
export const ASSOCIATED_TOKEN_PROGRAM = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";
/** The mint of wrapped SOL. Source: spl-token 0.4, `NATIVE_MINT`. */
export { WRAPPED_SOL_MINT } from "@tokenctl/shared/payout";

/** Meteora's Dynamic Bonding Curve. Source: its IDL 0.2.1, `address`. */
export const DBC_PROGRAM = "dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN";
/** The authority over every curve's vaults. Source: the same IDL, `claim_creator_trading_fee`. */
export const DBC_POOL_AUTHORITY = "FhVo3mqL8PW5pH5U2CN4XE33DokiyZnUwuGpH2hmHLuM";
/** Signs the curve program's events. Source: its seed `__event_authority`. */
export const DBC_EVENT_AUTHORITY = "8Ks12pbrD6PXxfty1hVQiE9sc289zgU1zHkvXhrSdriF";
/** Meteora's DAMM v2. Source: its IDL, `address`. */
export const DAMM_V2_PROGRAM = "cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG";
/** The authority over every pool's vaults. Source: the same IDL, `claim_position_fee`. */
export const DAMM_V2_POOL_AUTHORITY = "HLnpSz9h2S4hiLQ43rnSD9XkcUThA7B8hQMKmDaiTLcC";
/** Metaplex's Token Metadata. Source: DBC's IDL, `initialize_virtual_pool_with_spl_token`. */
export const METADATA_PROGRAM = "metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s";
/** DAMM v2's configs by fee option (`DAMM_V2_MIGRATION_FEE_ADDRESS` of the DBC SDK 1.5.12). */
export const DAMM_V2_CONFIGS: readonly string[] = [
  "7F6dnUcRuyM2TwR8myT1dYypFXpPSxqwKNSFNkxyNESd",
  "2nHK1kju6XjphBLbNxpM5XRGFj7p9U8vvNzyZiha1z6k",
  "Hv8Lmzmnju6m7kcokVKvwqz7QPmdX9XfKjJsXz8RXcjp",
  "2c4cYd4reUYVRAB9kUUkrq55VPyy2FNQ3FDL4o12JXmq",
  "AkmQWebAwFvWk55wBoCr5D62C6VVDTzi84NJuD9H7cFD",
  "DbCRBj8McvPYHJG1ukj8RE15h2dCNUdTAESG49XpQ44u",
  "A8gMrEPJkacWkcb3DGwtJwTe16HktSEfvwtuDh2MCtck",
];

// Addresses of the programs that the checks know, from our own table: no library can change them.

export { WRAPPED_SOL_MINT } from "@tokenctl/shared/payout";
export {
  ASSOCIATED_TOKEN as ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET as COMPUTE_BUDGET_PROGRAM,
  DAMM_V2 as DAMM_V2_PROGRAM,
  DAMM_V2_CONFIGS,
  DAMM_V2_POOL_AUTHORITY,
  DBC as DBC_PROGRAM,
  DBC_POOL_AUTHORITY,
  SYSTEM as SYSTEM_PROGRAM,
  TOKEN as TOKEN_PROGRAM,
  TOKEN_2022 as TOKEN_2022_PROGRAM,
  TOKEN_METADATA as METADATA_PROGRAM,
} from "@tokenctl/shared/programs/ids";

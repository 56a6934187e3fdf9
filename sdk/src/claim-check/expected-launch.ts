import { derived, poolAddress } from "../internal/program-address.ts";
import {
  DBC_EVENT_AUTHORITY,
  DBC_POOL_AUTHORITY,
  DBC_PROGRAM,
  METADATA_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from "./addresses.ts";
import { accountOf, type ExpectedInstruction, makeAccount } from "./expected-instruction.ts";
import type { LaunchTerms } from "./launch-terms.ts";

/** The first eight bytes of an instruction's data. Source: DBC's IDL 0.2.1. */
export const CREATE_SPL = Uint8Array.of(140, 85, 215, 176, 102, 54, 104, 79);
export const CREATE_TOKEN_2022 = Uint8Array.of(169, 118, 51, 78, 145, 110, 220, 155);
export const SWAP = Uint8Array.of(248, 198, 158, 145, 225, 117, 135, 200);

/** Tags of instructions. Sources: `SystemInstruction`, `TokenInstruction`. */
const TRANSFER = 2;
const CLOSE_ACCOUNT = 9;
const SYNC_NATIVE = 17;

/** The instructions of a launch, without those of the compute budget. */
export interface ExpectedLaunch {
  readonly poolAddress: string;
  readonly instructions: readonly ExpectedInstruction[];
}

/** @returns the token program of the pool that an instruction creates; null if it creates none */
export function tokenProgramOf(data: Uint8Array): string | null {
  const starts = (discriminator: Uint8Array) => discriminator.every((byte, i) => data[i] === byte);
  if (starts(CREATE_SPL)) return TOKEN_PROGRAM;
  return starts(CREATE_TOKEN_2022) ? TOKEN_2022_PROGRAM : null;
}

/** Builds what the agent must sign, from what it asked for: any other transaction is a forgery. */
export function expectedLaunch(
  { agent, config, name, symbol, uri, firstBuy }: LaunchTerms,
  mint: string,
  tokenProgram: string,
): ExpectedLaunch {
  const pool = poolAddress(DBC_PROGRAM, config, [mint, WRAPPED_SOL_MINT]);
  const vaultOf = (token: string) => derived(DBC_PROGRAM, "token_vault", token, pool);
  const isSpl = tokenProgram === TOKEN_PROGRAM;
  const create: ExpectedInstruction = {
    name: isSpl
      ? "initialize_virtual_pool_with_spl_token"
      : "initialize_virtual_pool_with_token2022",
    program: DBC_PROGRAM,
    accounts: {
      config,
      pool_authority: DBC_POOL_AUTHORITY,
      creator: agent,
      base_mint: mint,
      quote_mint: WRAPPED_SOL_MINT,
      pool,
      base_vault: vaultOf(mint),
      quote_vault: vaultOf(WRAPPED_SOL_MINT),
      ...(isSpl && {
        mint_metadata: derived(METADATA_PROGRAM, "metadata", METADATA_PROGRAM, mint),
        metadata_program: METADATA_PROGRAM,
      }),
      payer: agent,
      token_quote_program: TOKEN_PROGRAM,
      token_program: tokenProgram,
      system_program: SYSTEM_PROGRAM,
      event_authority: DBC_EVENT_AUTHORITY,
      program: DBC_PROGRAM,
    },
    data: join(isSpl ? CREATE_SPL : CREATE_TOKEN_2022, text(name), text(symbol), text(uri)),
  };
  if (!firstBuy) return { poolAddress: pool, instructions: [create] };

  const wrapped = accountOf(agent, WRAPPED_SOL_MINT, TOKEN_PROGRAM);
  const bought = accountOf(agent, mint, tokenProgram);
  const own = { payer: agent, owner: agent };
  return {
    poolAddress: pool,
    instructions: [
      create,
      makeAccount({ ...own, mint, tokenProgram }),
      makeAccount({ ...own, mint: WRAPPED_SOL_MINT, tokenProgram: TOKEN_PROGRAM }),
      {
        name: "Transfer",
        program: SYSTEM_PROGRAM,
        accounts: { source: agent, destination: wrapped },
        data: join(Uint8Array.of(TRANSFER, 0, 0, 0), u64(firstBuy.lamports)),
      },
      {
        name: "SyncNative",
        program: TOKEN_PROGRAM,
        accounts: { account: wrapped },
        data: Uint8Array.of(SYNC_NATIVE),
      },
      {
        name: "swap",
        program: DBC_PROGRAM,
        accounts: {
          pool_authority: DBC_POOL_AUTHORITY,
          config,
          pool,
          input_token_account: wrapped,
          output_token_account: bought,
          base_vault: vaultOf(mint),
          quote_vault: vaultOf(WRAPPED_SOL_MINT),
          base_mint: mint,
          quote_mint: WRAPPED_SOL_MINT,
          payer: agent,
          token_base_program: tokenProgram,
          token_quote_program: TOKEN_PROGRAM,
          // The program's own address stands for none.
          referral_token_account: DBC_PROGRAM,
          event_authority: DBC_EVENT_AUTHORITY,
          program: DBC_PROGRAM,
        },
        data: join(SWAP, u64(firstBuy.lamports), u64(firstBuy.minUnits)),
      },
      {
        name: "CloseAccount",
        program: TOKEN_PROGRAM,
        accounts: { account: wrapped, destination: agent, owner: agent },
        data: Uint8Array.of(CLOSE_ACCOUNT),
      },
    ],
  };
}

/** A text as Borsh writes it: its length (u32) and its UTF-8. */
function text(value: string): Uint8Array {
  const bytes = new TextEncoder().encode(value);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length, true);
  return join(length, bytes);
}

function u64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

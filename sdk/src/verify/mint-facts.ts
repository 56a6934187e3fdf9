import type { Fact } from "@tokenctl/shared/types";
import bs58 from "bs58";
import { TOKEN_2022_PROGRAM } from "../claim-check/addresses.ts";
import type { ChainAccount } from "../internal/chain-accounts.ts";
import type { Mint } from "../internal/layouts.ts";
import { fact, info } from "./facts.ts";
import { type ChainMetadata, kindOf, readMetadataExtension, readMetaplex } from "./layouts.ts";

/** Source: spl-token-2022's `ExtensionType`: those of mints. */
const EXTENSIONS: Readonly<Record<number, string>> = {
  1: "TransferFeeConfig",
  3: "MintCloseAuthority",
  4: "ConfidentialTransferMint",
  6: "DefaultAccountState",
  9: "NonTransferable",
  10: "InterestBearingConfig",
  12: "PermanentDelegate",
  14: "TransferHook",
  16: "ConfidentialTransferFeeConfig",
  18: "MetadataPointer",
  19: "TokenMetadata",
  20: "GroupPointer",
  21: "TokenGroup",
  22: "GroupMemberPointer",
  23: "TokenGroupMember",
  24: "ConfidentialMintBurn",
  25: "ScaledUiAmount",
  26: "Pausable",
};
const METADATA_POINTER = 18;
const TOKEN_METADATA = 19;
/** They say what a token is, and have no power over its accounts. */
const HARMLESS = [METADATA_POINTER, TOKEN_METADATA, 20, 21, 22, 23];

/** Who may make, freeze and change tokens of a mint. */
export function mintFacts(mint: Mint): Fact[] {
  const { tokenProgram, decimals, mintAuthority, freezeAuthority, extensions } = mint;
  const is2022 = tokenProgram === TOKEN_2022_PROGRAM;
  const dangers = extensions
    .filter(({ type }) => !HARMLESS.includes(type))
    .map(({ type }) => EXTENSIONS[type] ?? (type < 0 ? "unreadable" : `unknown (${type})`));
  return [
    info("token", `${is2022 ? "Token-2022" : "SPL Token"}, ${decimals} decimals`),
    mintAuthority === null
      ? fact("mint_authority", true, "none: no more tokens can be made")
      : fact("mint_authority", false, `${mintAuthority} may make more tokens`),
    freezeAuthority === null
      ? fact("freeze_authority", true, "none: no account can be frozen")
      : fact("freeze_authority", false, `${freezeAuthority} may freeze accounts`),
    ...(is2022
      ? [
          fact(
            "extensions",
            dangers.length === 0,
            dangers.length === 0
              ? "none that has power over accounts or transfers"
              : dangers.join(", "),
          ),
        ]
      : []),
  ];
}

/** Reads a token's metadata, and who may change it. @param account that Token Metadata keeps, if any */
export function metadataOf(
  tokenMint: string,
  { extensions }: Mint,
  account: ChainAccount | null | undefined,
): { readonly metadata: ChainMetadata | null; readonly authority: Fact } {
  const unknown = (what: string) => ({
    metadata: null,
    authority: fact("update_authority", false, `unknown: ${what}`),
  });
  const extension = extensions.find(({ type }) => type === TOKEN_METADATA);
  const pointer = extensions.find(({ type }) => type === METADATA_POINTER)?.data;
  const [pointerAuthority, pointed] = [0, 32].map((at) => addressAt(pointer, at));
  if (extension && pointed !== tokenMint) return unknown(`the metadata is at ${pointed}`);
  const metadata = extension ? attempt(extension.data) : readMetaplex(account);
  if (metadata?.mint !== tokenMint) {
    return unknown(
      extension
        ? "the metadata cannot be read"
        : account
          ? kindOf(account)
          : "there is no metadata",
    );
  }
  const { updateAuthority } = metadata;
  const holders = [updateAuthority, extension ? pointerAuthority : null].filter(
    (address) => address != null,
  );
  const text =
    holders.length === 0
      ? "none: name, symbol and document address never change"
      : `${[...new Set(holders)].join(" and ")} may change name, symbol and document address`;
  return { metadata, authority: fact("update_authority", holders.length === 0, text) };
}

/** @returns null if all 32 bytes are zero, or there are none */
function addressAt(data: Uint8Array | undefined, at: number): string | null {
  const bytes = data?.subarray(at, at + 32);
  return bytes?.some((byte) => byte !== 0) ? bs58.encode(bytes) : null;
}

function attempt(data: Uint8Array): ChainMetadata | null {
  try {
    return readMetadataExtension(data);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

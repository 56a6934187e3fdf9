import { decode, type ValueOf } from "@tokenctl/shared/programs/codec";
import { TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import { METADATA_EXTENSION, type Mint, tokenMetadata } from "@tokenctl/shared/programs/token";
import bs58 from "bs58";
import { type ChainAccount, kindOf, tryAccount } from "../internal/chain-accounts.ts";
import { costs, type Finding, safe, unknown } from "./facts.ts";

/** The extensions of mints. Source: spl-token-2022's `ExtensionType`. */
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
/** Extensions that describe a token and have no power over its accounts. */
const HARMLESS = [METADATA_POINTER, TOKEN_METADATA, 20, 21, 22, 23];

export function mintFacts(mint: Mint, tokenProgram: string): Finding[] {
  const { mintAuthority, freezeAuthority, extensions } = mint;
  const dangers = extensions
    .filter(({ type }) => !HARMLESS.includes(type))
    .map(({ type }) => EXTENSIONS[type] ?? (type < 0 ? "unreadable" : `unknown (${type})`));
  return [
    mintAuthority === null
      ? safe("mint_authority", "none: no more tokens can be made")
      : costs("mint_authority", 1, `${mintAuthority} may make more tokens`),
    freezeAuthority === null
      ? safe("freeze_authority", "none: no account can be frozen")
      : costs("freeze_authority", 1, `${freezeAuthority} may freeze accounts`),
    ...(tokenProgram === TOKEN_2022 ? [extensionFact(dangers)] : []),
  ];
}

function extensionFact(dangers: readonly string[]): Finding {
  const names = dangers.join(", ");
  if (dangers.some((name) => name.startsWith("un"))) {
    return { name: "extensions", verdict: "unknown", text: names };
  }
  const none = "none that has power over accounts or transfers";
  return costs("extensions", dangers.length, dangers.length === 0 ? none : names);
}

export function metadataOf(
  tokenMint: string,
  { extensions }: Mint,
  account: ChainAccount | null | undefined,
): { readonly metadata: ChainMetadata | null; readonly authority: Finding } {
  const notKnown = (what: string) => ({
    metadata: null,
    authority: unknown("update_authority", what),
  });
  const extension = extensions.find(({ type }) => type === TOKEN_METADATA);
  const pointer = extensions.find(({ type }) => type === METADATA_POINTER)?.data;
  const [pointerAuthority, pointed] = [0, 32].map((at) => {
    const bytes = pointer?.subarray(at, at + 32);
    return bytes?.some((byte) => byte !== 0) ? bs58.encode(bytes) : null;
  });
  if (extension && pointed !== tokenMint) return notKnown(`the metadata is at ${pointed}`);
  const read = extension ? null : tryAccount(tokenMetadata, "Metadata", account);
  const metadata = extension
    ? readExtension(extension.data)
    : read && described(read, read.isMutable);
  if (metadata?.mint !== tokenMint) {
    const other = account ? kindOf(account) : "there is no metadata";
    return notKnown(extension ? "the metadata cannot be read" : other);
  }
  const { updateAuthority } = metadata;
  const holders = new Set(
    [updateAuthority, extension ? pointerAuthority : null].filter((address) => address != null),
  );
  const text =
    holders.size === 0
      ? "none: name, symbol and document address never change"
      : `${[...holders].join(" and ")} may change name, symbol and document address`;
  return { metadata, authority: costs("update_authority", holders.size, text) };
}

export interface ChainMetadata extends Omit<OnChain, "updateAuthority"> {
  /** Null if the metadata can never change. */
  readonly updateAuthority: string | null;
}

type OnChain = ValueOf<typeof METADATA_EXTENSION>;

const NO_AUTHORITY = "11111111111111111111111111111111";

function described(
  read: OnChain,
  isMutable = read.updateAuthority !== NO_AUTHORITY,
): ChainMetadata {
  const { mint, updateAuthority } = read;
  // Token Metadata pads its texts with zeros.
  const [name, symbol, uri] = [read.name, read.symbol, read.uri].map((text) =>
    text.replace(/\0+$/, ""),
  ) as [string, string, string];
  return { updateAuthority: isMutable ? updateAuthority : null, mint, name, symbol, uri };
}

function readExtension(data: Uint8Array): ChainMetadata | null {
  try {
    return described(decode(METADATA_EXTENSION, data));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

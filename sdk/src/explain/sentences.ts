import { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { dbc } from "@tokenctl/shared/programs/dbc";
import type { Args, InstructionName, Program } from "@tokenctl/shared/programs/program";
import { SANDBOX_MINT } from "@tokenctl/shared/programs/sandbox";
import { associatedToken, computeBudget, system } from "@tokenctl/shared/programs/solana";
import { token, token2022 } from "@tokenctl/shared/programs/token";
import { formatSol } from "@tokenctl/shared/sol";
import type { ExplainedMove } from "./explanation.ts";
import type { MintOf, Names, Words } from "./words.ts";

type Told<P extends Program, N extends InstructionName<P>> = Args<P, N> &
  Readonly<Record<keyof P["instructions"][N]["accounts"], string>>;

/** Explains instructions of a program by their accounts and arguments; some have no sentence. */
type Sentences<P extends Program> = {
  readonly [N in InstructionName<P>]?: (told: Told<P, N>, names: Names, program: string) => Words;
};

const ofComputeBudget: Sentences<typeof computeBudget> = {
  RequestHeapFrame: ({ bytes }) => ({ text: `Asks for ${bytes} bytes of memory` }),
  SetComputeUnitLimit: ({ units }) => ({ text: `Allows at most ${units} compute units` }),
  SetComputeUnitPrice: ({ microLamports }) => ({
    text: `Offers ${microLamports} millionths of a lamport for each compute unit`,
  }),
  SetLoadedAccountsDataSizeLimit: ({ bytes }) => ({ text: `Loads at most ${bytes} bytes` }),
};

const ofSystem: Sentences<typeof system> = {
  CreateAccount: createsAccount,
  CreateAccountWithSeed: createsAccount,
  Assign: assigns,
  AssignWithSeed: assigns,
  Allocate: ({ account, space }, names) => ({
    text: `Makes ${names.of(account)} an account of ${space} bytes`,
  }),
  AllocateWithSeed: ({ account, space, owner }, names) => ({
    text: `Makes ${names.of(account)} an account of ${space} bytes, and gives it to program ${owner}`,
    gives: [{ role: "owner", over: account, to: owner }],
  }),
  TransferWithSeed: transfersSol,
  Transfer: transfersSol,
  AdvanceNonceAccount: ({ account }) => ({
    text: `Advances the nonce of ${account}; as first instruction, it keeps the transaction valid until then`,
  }),
  WithdrawNonceAccount: ({ account: from, to, lamports }, names) => ({
    text: `Transfers ${formatSol(lamports)} SOL from nonce account ${from} to ${names.of(to)}`,
    moves: [{ asset: "SOL", amount: lamports, from, to }],
  }),
  InitializeNonceAccount: holdsNonce,
  AuthorizeNonceAccount: holdsNonce,
};

function assigns({ account, owner }: Told<typeof system, "Assign">, names: Names): Words {
  const text = `Gives ${names.of(account)} to program ${owner}, which may then take its SOL`;
  return { text, gives: [{ role: "owner", over: account, to: owner }] };
}

function transfersSol(
  { from, to, lamports }: Told<typeof system, "Transfer">,
  names: Names,
): Words {
  const text = `Transfers ${formatSol(lamports)} SOL from ${names.of(from)} to ${names.of(to)}`;
  return { text, moves: [{ asset: "SOL", amount: lamports, from, to }] };
}

function holdsNonce(
  { account, newAuthority: to }: { account: string; newAuthority: string },
  names: Names,
): Words {
  const text = `Lets ${names.of(to)} advance the nonce of ${account} and take its SOL`;
  return { text, gives: [{ role: "nonce authority", over: account, to }] };
}

function createsAccount(
  { from, to, lamports, space, owner }: Told<typeof system, "CreateAccount">,
  names: Names,
): Words {
  const what = `account ${to} of ${space} bytes for program ${owner}`;
  const text = `Makes ${what}, with ${formatSol(lamports)} SOL from ${names.of(from)}`;
  return { text, moves: [{ asset: "SOL", amount: lamports, from, to }] };
}

const ofAssociatedToken: Sentences<typeof associatedToken> = {
  Create: (told, names) => makesAccount(told, names, ""),
  CreateIdempotent: (told, names) => makesAccount(told, names, " unless it exists"),
};

function makesAccount(
  { payer, account, owner, mint }: Told<typeof associatedToken, "Create">,
  names: Names,
  condition: string,
): Words {
  names.isAccountOf(account, owner, mint);
  const text = `Makes ${names.of(account)}${condition}; ${names.of(payer)} pays its rent`;
  return { text, moves: [{ asset: "SOL", amount: null, from: payer, to: account }] };
}

/** The name and the powers of an authority's holder. Source: spl-token-2022, `AuthorityType`. */
const AUTHORITIES: readonly (readonly [role: string, may: string])[] = [
  ["mint authority", "may mint"],
  ["freeze authority", "may freeze accounts of"],
  ["owner", "owns"],
  ["close authority", "may close"],
  ["transfer fee authority", "may set the transfer fee of"],
  ["withheld fee authority", "may take the transfer fees of"],
  ["mint close authority", "may close"],
  ["interest authority", "may set the interest of"],
  ["permanent delegate", "may take and burn what any account holds of"],
  ["confidential transfer authority", "may change the confidential transfers of"],
  ["transfer hook authority", "may choose the program that every transfer asks, of"],
  ["confidential fee authority", "may change the confidential fees of"],
  ["metadata pointer authority", "may choose the metadata of"],
  ["group pointer authority", "may choose the group of"],
  ["group member pointer authority", "may choose the membership of"],
  ["scale authority", "may change the shown amounts of"],
  ["pause authority", "may stop all transfers of"],
];

const ofToken: Sentences<typeof token> = {
  Transfer: transfers,
  TransferChecked: transfers,
  Approve: approves,
  ApproveChecked: approves,
  Revoke: ({ source }, names) => ({
    text: `Lets no other wallet take from ${names.of(source)} any more`,
  }),
  SetAuthority: ({ account, kind, authority }, names) => {
    const [role, may] = AUTHORITIES[kind] ?? [`authority ${kind}`, `has authority ${kind} over`];
    const text = `From then on ${holder(authority, names)} ${may} ${names.of(account)}`;
    if (authority === null) return { text };
    const asset = names.mintOf(account);
    return {
      text,
      // The new owner of an account owns what it holds.
      ...(role === "owner" && { moves: [{ asset, amount: null, from: account, to: authority }] }),
      gives: [{ role, over: account, to: authority }],
    };
  },
  MintTo: mints,
  MintToChecked: mints,
  Burn: burns,
  BurnChecked: burns,
  FreezeAccount: ({ account }, names) => ({ text: `Freezes ${names.of(account)}` }),
  ThawAccount: ({ account }, names) => ({ text: `Lets ${names.of(account)} be used again` }),
  CloseAccount: ({ account: from, destination: to }, names) => ({
    text: `Closes ${names.of(from)} and pays its SOL, wrapped or not, to ${names.of(to)}`,
    moves: [{ asset: "SOL", amount: null, from, to }],
  }),
  SyncNative: ({ account }, names) => ({
    text: `Counts SOL that was sent to ${names.of(account)} as wrapped SOL`,
  }),
  InitializeAccount3: ({ account, mint, owner }, names) => {
    names.isAccountOf(account, owner, mint);
    return { text: `Makes account ${account} into ${names.of(account)}` };
  },
  InitializeMint2: ({ mint, decimals, mintAuthority, freezeAuthority }, names) => {
    const who = `${names.of(mintAuthority)} may mint it, ${holder(freezeAuthority, names)} may freeze its accounts`;
    const freezes = { role: "freeze authority", over: mint, to: freezeAuthority };
    return {
      text: `Makes token ${mint} with ${decimals} decimals: ${who}`,
      gives: [
        { role: "mint authority", over: mint, to: mintAuthority },
        ...(freezeAuthority === null ? [] : [freezes]),
      ],
    };
  },
  AmountToUiAmount: ({ mint }) => ({
    text:
      mint === SANDBOX_MINT
        ? "Changes nothing, and fails on every chain but the sandbox of a tokend"
        : `Changes nothing: counts an amount of token ${mint}`,
  }),
};

/** Adds Token-2022; if an extension's data is not read, the text only names the extension. */
const ofToken2022: Sentences<typeof token2022> = {
  ...ofToken,
  InitializeMintCloseAuthority: ({ mint, authority: to }, names) => ({
    text: `From then on ${holder(to, names)} may close token ${mint}`,
    gives: to === null ? [] : [{ role: "mint close authority", over: mint, to }],
  }),
  InitializePermanentDelegate: ({ mint, delegate: to }, names) => ({
    text: `Lets ${names.of(to)} take and burn what any account holds of token ${mint}, for good`,
    gives: [{ role: "permanent delegate", over: mint, to }],
  }),
  TransferHookInitialize: ({ mint, authority, hookProgram: to }, names) => ({
    text: `Has program ${to} asked at every transfer of token ${mint}, which ${names.of(authority)} may change`,
    gives: [
      { role: "transfer hook", over: mint, to },
      { role: "transfer hook authority", over: mint, to: authority },
    ],
  }),
  TransferHookUpdate: ({ mint, hookProgram: to }) => ({
    text: `Has program ${to} asked at every transfer of token ${mint}`,
    gives: [{ role: "transfer hook", over: mint, to }],
  }),
  WithdrawExcessLamports: ({ account: from, destination: to }, names) => ({
    text: `Transfers the SOL that ${names.of(from)} does not need to ${names.of(to)}`,
    moves: [{ asset: "SOL", amount: null, from, to }],
  }),
  TransferFeeExtension: extension("transfer fees, which others may set and take"),
  ConfidentialTransferExtension: extension("confidential transfers, whose amounts cannot be read"),
  ConfidentialTransferFeeExtension: extension("confidential fees, whose amounts cannot be read"),
  ConfidentialMintBurnExtension: extension("confidential minting, whose amounts cannot be read"),
  DefaultAccountStateExtension: extension("the state of new accounts, which may be frozen"),
  CpiGuardExtension: extension("what other programs may do with it"),
  PausableExtension: extension("pauses, in which nothing can be transferred"),
};

function extension(what: string) {
  return (told: Readonly<Record<string, unknown>>): Words => {
    const over = String(told.account ?? told.mint);
    const text = `Uses or changes, by instruction ${told.instruction} of the extension, for ${over}: ${what}`;
    return { text, gives: [{ role: what.split(",")[0] ?? what, over, to: null }] };
  };
}

function mints({ mint, account: to, amount }: Told<typeof token, "MintTo">, names: Names): Words {
  const text = `Mints ${names.amount(amount, mint)} into ${names.of(to)}`;
  return { text, moves: [{ asset: mint, amount, from: mint, to }] };
}

function burns({ mint, account: from, amount }: Told<typeof token, "Burn">, names: Names): Words {
  const text = `Burns ${names.amount(amount, mint)} of ${names.of(from)}`;
  return { text, moves: [{ asset: mint, amount, from, to: mint }] };
}

function holder(authority: string | null, names: Names): string {
  return authority === null ? "no one" : names.of(authority);
}

interface Amount {
  readonly source: string;
  readonly amount: bigint;
  /** Present if the instruction names it. */
  readonly mint?: string;
}

function transfers(told: Amount & { destination: string }, names: Names, program: string): Words {
  const { source: from, destination: to, amount } = told;
  const mints: MintOf[] | undefined = told.mint === undefined ? undefined : [[told.mint, program]];
  const [source, receiver] = [names.of(from, mints), names.of(to, mints)];
  // Both accounts have the same mint.
  const mint = told.mint ?? names.mintOf(from) ?? names.mintOf(to);
  if (from === to) {
    const text = `Moves nothing: fails unless ${source} holds ${names.amount(amount, mint)}`;
    return { text, moves: [] };
  }
  const text = `Transfers ${names.amount(amount, mint)} from ${source} to ${receiver}`;
  return { text, moves: [{ asset: mint, amount, from, to }] };
}

function approves(told: Amount & { delegate: string }, names: Names): Words {
  const { source: from, delegate: to, amount, mint = null } = told;
  const what = `${names.amount(amount, mint)} from ${names.of(from)}`;
  const text = `Lets ${names.of(to)} take ${what} at any time`;
  const gives = [{ role: "delegate", over: from, to }];
  return { text, moves: [{ asset: mint, amount, from, to }], gives };
}

const ofCurve: Sentences<typeof dbc> = {
  initialize_virtual_pool_with_spl_token: createsPool,
  initialize_virtual_pool_with_token2022: createsPool,
  swap: (told, names) => {
    const { pool, inputTokenAccount: from, outputTokenAccount: to, amountIn: amount } = told;
    const mints: MintOf[] = [
      [told.quoteMint, told.tokenQuoteProgram],
      [told.baseMint, told.tokenBaseProgram],
    ];
    const [source, receiver] = [names.of(from, mints), names.of(to, mints)];
    const asset = names.mintOf(from);
    const given = `${names.amount(amount, asset)} from ${source}`;
    const least = names.amount(told.minimumAmountOut, names.mintOf(to));
    return {
      text: `Trades ${given} for at least ${least} into ${receiver} on the curve of pool ${pool}`,
      moves: [{ asset, amount, from, to: pool }],
    };
  },
  claim_creator_trading_fee: (told, names) => {
    const a: MintOf = [told.baseMint, told.tokenBaseProgram];
    const b: MintOf = [told.quoteMint, told.tokenQuoteProgram];
    const paid = { a: told.maxBaseAmount === 0n ? null : a, b, names };
    return paysFees("the creator's fees of the curve of", told, paid);
  },
  transfer_pool_creator: ({ virtualPool, creator, newCreator }, names) => ({
    gives: [{ role: "creator, who gets all future fees", over: virtualPool, to: newCreator }],
    text: `Makes ${names.of(newCreator)} the creator of pool ${virtualPool} instead of ${names.of(creator)}, with all fees of its curve that are not claimed yet`,
  }),
};

function createsPool(
  told: Told<typeof dbc, "initialize_virtual_pool_with_token2022">,
  names: Names,
): Words {
  const { config, creator, baseMint: mint, pool, payer: from } = told;
  const [name, symbol, uri] = [told.name, told.symbol, told.uri].map((text) =>
    JSON.stringify(text.replace(/\0+$/, "")),
  );
  const what = `token ${name} (${symbol}), mint ${mint}`;
  const where = `pool ${pool} under config ${config}, metadata at ${uri}`;
  const who = `Its creator is ${names.of(creator)}; ${names.of(from)} pays rent and fees`;
  return {
    text: `Creates ${what}, on the curve of ${where}. ${who}`,
    moves: [{ asset: "SOL", amount: null, from, to: pool }],
  };
}

const ofLiquidity: Sentences<typeof dammV2> = {
  claim_position_fee: (told, names) => {
    const a: MintOf = [told.tokenAMint, told.tokenAProgram];
    const b: MintOf = [told.tokenBMint, told.tokenBProgram];
    return paysFees("the fees of a position in", told, { a, b, names });
  },
  refresh_vesting: ({ pool, position, positionNftAccount, owner }, names) => ({
    text: `Fails unless ${names.of(owner)} holds position ${position} of pool ${pool} in ${positionNftAccount}; takes nothing`,
  }),
};

/** @param mints of what is paid; `a` is null if no token is paid */
function paysFees(
  what: string,
  told: { pool: string; tokenAAccount: string; tokenBAccount: string },
  { a, b, names }: { readonly a: MintOf | null; readonly b: MintOf; readonly names: Names },
): Words {
  const { pool: from, tokenAAccount, tokenBAccount } = told;
  const paid = ([asset]: MintOf, to: string): ExplainedMove => ({ asset, amount: null, from, to });
  const tokens = a ? `, and those in ${names.token(a[0])} to ${names.of(tokenAAccount, [a])}` : "";
  return {
    text: `Pays ${what} pool ${from} in ${names.token(b[0])} to ${names.of(tokenBAccount, [b])}${tokens}`,
    moves: [paid(b, tokenBAccount), ...(a ? [paid(a, tokenAAccount)] : [])],
  };
}

type AnySentences = Readonly<
  Record<string, ((told: never, names: Names, program: string) => Words) | undefined>
>;

/** Keyed by the program's address. */
export const SENTENCES: ReadonlyMap<string, AnySentences> = new Map<string, AnySentences>([
  [computeBudget.id, ofComputeBudget],
  [system.id, ofSystem],
  [associatedToken.id, ofAssociatedToken],
  [token.id, ofToken],
  [token2022.id, ofToken2022],
  [dbc.id, ofCurve],
  [dammV2.id, ofLiquidity],
]);

import { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { dbc } from "@tokenctl/shared/programs/dbc";
import type { Args, InstructionName, Program } from "@tokenctl/shared/programs/program";
import { SANDBOX_MINT } from "@tokenctl/shared/programs/sandbox";
import { associatedToken, computeBudget, system } from "@tokenctl/shared/programs/solana";
import { token, token2022 } from "@tokenctl/shared/programs/token";
import { formatSol } from "@tokenctl/shared/sol";
import type { MintOf, Names, Words } from "./words.ts";

type Told<P extends Program, N extends InstructionName<P>> = Args<P, N> &
  Readonly<Record<keyof P["instructions"][N]["accounts"], string>>;

/** Explains instructions of a program by their accounts and arguments; some have no sentence. */
type Sentences<P extends Program> = {
  readonly [N in InstructionName<P>]?: (
    told: Told<P, N>,
    names: Names,
    program: string,
  ) => Words | string;
};

const ofComputeBudget: Sentences<typeof computeBudget> = {
  RequestHeapFrame: ({ bytes }) => `Asks for ${bytes} bytes of memory`,
  SetComputeUnitLimit: ({ units }) => `Allows at most ${units} compute units`,
  SetComputeUnitPrice: ({ microLamports }) =>
    `Offers ${microLamports} millionths of a lamport for each compute unit`,
  SetLoadedAccountsDataSizeLimit: ({ bytes }) => `Loads at most ${bytes} bytes`,
};

const ofSystem: Sentences<typeof system> = {
  CreateAccount: createsAccount,
  CreateAccountWithSeed: createsAccount,
  Assign: assigns,
  AssignWithSeed: assigns,
  Allocate: ({ account, space }, names) =>
    `Makes ${names.of(account)} an account of ${space} bytes, which can then transfer no SOL`,
  AllocateWithSeed: ({ account, space, owner }, names) => ({
    text: `Makes ${names.of(account)} an account of ${space} bytes, and gives it to program ${owner}`,
    gives: [{ role: "owner", over: account, to: owner }],
  }),
  TransferWithSeed: transfersSol,
  Transfer: transfersSol,
  AdvanceNonceAccount: ({ account }) =>
    `Advances the nonce of ${account}; as first instruction, it keeps the transaction valid until then`,
  WithdrawNonceAccount: ({ account, to, lamports }, names) =>
    `Transfers ${formatSol(lamports)} SOL from nonce account ${account} to ${names.of(to)}`,
  InitializeNonceAccount: holdsNonce,
  AuthorizeNonceAccount: holdsNonce,
};

function assigns({ account, owner }: Told<typeof system, "Assign">, names: Names): Words {
  const text = `Gives ${names.of(account)} to program ${owner}, which may then take its SOL`;
  return { text, gives: [{ role: "owner", over: account, to: owner }] };
}

function transfersSol({ from, to, lamports }: Told<typeof system, "Transfer">, names: Names) {
  return `Transfers ${formatSol(lamports)} SOL from ${names.of(from)} to ${names.of(to)}`;
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
): string {
  const what = `account ${to} of ${space} bytes for program ${owner}`;
  return `Makes ${what}, with ${formatSol(lamports)} SOL from ${names.of(from)}`;
}

const ofAssociatedToken: Sentences<typeof associatedToken> = {
  Create: (told, names) => makesAccount(told, names, ""),
  CreateIdempotent: (told, names) => makesAccount(told, names, " unless it exists"),
};

function makesAccount(
  { payer, account, owner, mint }: Told<typeof associatedToken, "Create">,
  names: Names,
  condition: string,
): string {
  names.isAccountOf(account, owner, mint);
  return `Makes ${names.of(account)}${condition}; ${names.of(payer)} pays its rent`;
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
  ["transfer hook authority", "may choose the program that is called at every transfer of"],
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
  Revoke: ({ source }, names) => `Lets no other wallet take from ${names.of(source)} any more`,
  SetAuthority: ({ account, kind, authority }, names) => {
    const [role, may] = AUTHORITIES[kind] ?? [`authority ${kind}`, `has authority ${kind} over`];
    const text = `From then on ${holder(authority, names)} ${may} ${names.of(account)}`;
    return authority === null ? text : { text, gives: [{ role, over: account, to: authority }] };
  },
  MintTo: mints,
  MintToChecked: mints,
  Burn: burns,
  BurnChecked: burns,
  FreezeAccount: ({ account }, names) => `Freezes ${names.of(account)}`,
  ThawAccount: ({ account }, names) => `Lets ${names.of(account)} be used again`,
  CloseAccount: ({ account, destination }, names) =>
    `Closes ${names.of(account)} and pays its SOL, wrapped or not, to ${names.of(destination)}`,
  SyncNative: ({ account }, names) =>
    `Counts SOL that was sent to ${names.of(account)} as wrapped SOL`,
  InitializeAccount3: ({ account, mint, owner }, names) => {
    names.isAccountOf(account, owner, mint);
    return `Makes account ${account} into ${names.of(account)}`;
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
  AmountToUiAmount: ({ mint }) =>
    mint === SANDBOX_MINT
      ? "Changes nothing, and fails on every chain but the sandbox of a tokend"
      : `Changes nothing: counts an amount of token ${mint}`,
};

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
    text: `Has program ${to} called at every transfer of token ${mint}, which ${names.of(authority)} may change`,
    gives: [
      { role: "transfer hook", over: mint, to },
      { role: "transfer hook authority", over: mint, to: authority },
    ],
  }),
  TransferHookUpdate: ({ mint, hookProgram: to }) => ({
    text: `Has program ${to} called at every transfer of token ${mint}`,
    gives: [{ role: "transfer hook", over: mint, to }],
  }),
  WithdrawExcessLamports: ({ account, destination }, names) =>
    `Transfers the SOL that ${names.of(account)} does not need to ${names.of(destination)}`,
};

function mints({ mint, account, amount }: Told<typeof token, "MintTo">, names: Names): string {
  return `Mints ${names.amount(amount, mint)} into ${names.of(account)}`;
}

function burns({ mint, account, amount }: Told<typeof token, "Burn">, names: Names): string {
  return `Burns ${names.amount(amount, mint)} of ${names.of(account)}`;
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

function transfers(told: Amount & { destination: string }, names: Names, program: string): string {
  const { source: from, destination: to, amount } = told;
  const mints: MintOf[] | undefined = told.mint === undefined ? undefined : [[told.mint, program]];
  const [source, receiver] = [names.of(from, mints), names.of(to, mints)];
  // Both accounts have the same mint.
  const units = names.amount(amount, told.mint ?? names.mintOf(from) ?? names.mintOf(to));
  return from === to
    ? `Moves nothing: fails unless ${source} holds ${units}`
    : `Transfers ${units} from ${source} to ${receiver}`;
}

function approves(told: Amount & { delegate: string }, names: Names): Words {
  const { source: from, delegate: to, amount, mint = null } = told;
  const text = `Lets ${names.of(to)} take ${names.amount(amount, mint)} from ${names.of(from)} at any time`;
  return { text, gives: [{ role: "delegate", over: from, to }] };
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
    const given = `${names.amount(amount, names.mintOf(from))} from ${source}`;
    const least = names.amount(told.minimumAmountOut, names.mintOf(to));
    return `Trades ${given} for at least ${least} into ${receiver} on the curve of pool ${pool}`;
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
): string {
  const { config, creator, baseMint: mint, pool, payer } = told;
  const [name, symbol, uri] = [told.name, told.symbol, told.uri].map((text) =>
    JSON.stringify(text.replace(/\0+$/, "")),
  );
  const what = `token ${name} (${symbol}), mint ${mint}`;
  const where = `pool ${pool} under config ${config}, metadata at ${uri}`;
  const who = `Its creator is ${names.of(creator)}; ${names.of(payer)} pays rent and fees`;
  return `Creates ${what}, on the curve of ${where}. ${who}`;
}

const ofLiquidity: Sentences<typeof dammV2> = {
  claim_position_fee: (told, names) => {
    const a: MintOf = [told.tokenAMint, told.tokenAProgram];
    const b: MintOf = [told.tokenBMint, told.tokenBProgram];
    return paysFees("the fees of a position in", told, { a, b, names });
  },
  refresh_vesting: ({ pool, position, positionNftAccount, owner }, names) =>
    `Fails unless ${names.of(owner)} holds position ${position} of pool ${pool} in ${positionNftAccount}; takes nothing`,
};

function paysFees(
  what: string,
  told: { pool: string; tokenAAccount: string; tokenBAccount: string },
  { a, b, names }: { readonly a: MintOf | null; readonly b: MintOf; readonly names: Names },
): string {
  const { pool, tokenAAccount, tokenBAccount } = told;
  const tokens = a ? `, and those in ${names.token(a[0])} to ${names.of(tokenAAccount, [a])}` : "";
  return `Pays ${what} pool ${pool} in ${names.token(b[0])} to ${names.of(tokenBAccount, [b])}${tokens}`;
}

type AnySentences = Readonly<
  Record<string, ((told: never, names: Names, program: string) => Words | string) | undefined>
>;

export const SENTENCES: ReadonlyMap<string, AnySentences> = new Map<string, AnySentences>([
  [computeBudget.id, ofComputeBudget],
  [system.id, ofSystem],
  [associatedToken.id, ofAssociatedToken],
  [token.id, ofToken],
  [token2022.id, ofToken2022],
  [dbc.id, ofCurve],
  [dammV2.id, ofLiquidity],
]);

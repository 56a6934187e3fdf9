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

interface Context {
  readonly program: string;
  readonly names: Names;
}

/** What each instruction of a program does, from its accounts and arguments; none of those without words. */
type Sentences<P extends Program> = {
  readonly [N in InstructionName<P>]?: (told: Told<P, N>, context: Context) => Words;
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
  Assign: ({ account, owner }, { names }) => ({
    text: `Gives ${names.of(account)} to program ${owner}, which may then take its SOL`,
  }),
  Transfer: ({ from, to, lamports }, { names }) => ({
    text: `Transfers ${formatSol(lamports)} SOL from ${names.of(from)} to ${names.of(to)}`,
    moves: [{ asset: "SOL", amount: lamports, from, to }],
  }),
  AdvanceNonceAccount: ({ account }) => ({
    text: `Advances the nonce of ${account}; as first instruction, it keeps the transaction valid until then`,
  }),
};

function createsAccount(
  { from, to, lamports, space, owner }: Told<typeof system, "CreateAccount">,
  { names }: Context,
): Words {
  const what = `account ${to} of ${space} bytes for program ${owner}`;
  const text = `Makes ${what}, with ${formatSol(lamports)} SOL from ${names.of(from)}`;
  return { text, moves: [{ asset: "SOL", amount: lamports, from, to }] };
}

const ofAssociatedToken: Sentences<typeof associatedToken> = {
  Create: (told, context) => makesAccount(told, context, ""),
  CreateIdempotent: (told, context) => makesAccount(told, context, " unless it exists"),
};

function makesAccount(
  { payer, account, owner, mint }: Told<typeof associatedToken, "Create">,
  { names }: Context,
  condition: string,
): Words {
  names.isAccountOf(account, owner, mint);
  const text = `Makes ${names.of(account)}${condition}; ${names.of(payer)} pays its rent`;
  return { text, moves: [{ asset: "SOL", amount: null, from: payer, to: account }] };
}

/** What the holder of an authority may do. Source: spl-token 0.4, `AuthorityType`. */
const AUTHORITIES = ["may mint", "may freeze accounts of", "owns", "may close"];

const ofToken: Sentences<typeof token> = {
  Transfer: transfers,
  TransferChecked: transfers,
  Approve: approves,
  ApproveChecked: approves,
  Revoke: ({ source }, { names }) => ({
    text: `Lets no other wallet take from ${names.of(source)} any more`,
  }),
  SetAuthority: ({ account, kind, authority }, { names }) => {
    const may = AUTHORITIES[kind] ?? `has authority ${kind} over`;
    return { text: `From then on ${holder(authority, names)} ${may} ${names.of(account)}` };
  },
  MintTo: ({ mint, account: to, amount }, { names }) => ({
    text: `Mints ${names.amount(amount, mint)} into ${names.of(to)}`,
    moves: [{ asset: mint, amount, from: mint, to }],
  }),
  CloseAccount: ({ account: from, destination: to }, { names }) => ({
    text: `Closes ${names.of(from)} and pays its SOL, wrapped or not, to ${names.of(to)}`,
    moves: [{ asset: "SOL", amount: null, from, to }],
  }),
  SyncNative: ({ account }, { names }) => ({
    text: `Counts SOL that was sent to ${names.of(account)} as wrapped SOL`,
  }),
  InitializeAccount3: ({ account, mint, owner }, { names }) => {
    names.isAccountOf(account, owner, mint);
    return { text: `Makes account ${account} into ${names.of(account)}` };
  },
  InitializeMint2: ({ mint, decimals, mintAuthority, freezeAuthority }, { names }) => {
    const who = `${names.of(mintAuthority)} may mint it, ${holder(freezeAuthority, names)} may freeze its accounts`;
    return { text: `Makes token ${mint} with ${decimals} decimals: ${who}` };
  },
  AmountToUiAmount: ({ mint }) => ({
    text:
      mint === SANDBOX_MINT
        ? "Changes nothing, and fails on every chain but the sandbox of a tokend"
        : `Changes nothing: counts an amount of token ${mint}`,
  }),
};

function holder(authority: string | null, names: Names): string {
  return authority === null ? "no one" : names.of(authority);
}

interface Amount {
  readonly source: string;
  readonly amount: bigint;
  /** Only if the instruction names it. */
  readonly mint?: string;
}

function transfers(told: Amount & { destination: string }, { names, program }: Context): Words {
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

function approves(told: Amount & { delegate: string }, { names }: Context): Words {
  const { source: from, delegate: to, amount, mint = null } = told;
  const what = `${names.amount(amount, mint)} from ${names.of(from)}`;
  const text = `Lets ${names.of(to)} take ${what} at any time`;
  return { text, moves: [{ asset: mint, amount, from, to }] };
}

const ofCurve: Sentences<typeof dbc> = {
  initialize_virtual_pool_with_spl_token: createsPool,
  initialize_virtual_pool_with_token2022: createsPool,
  swap: (told, { names }) => {
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
  claim_creator_trading_fee: (told, { names }) => {
    const a: MintOf = [told.baseMint, told.tokenBaseProgram];
    const b: MintOf = [told.quoteMint, told.tokenQuoteProgram];
    const isSolAlone = told.maxBaseAmount === 0n;
    return paysFees("the creator's fees of the curve of", told, {
      a: isSolAlone ? null : a,
      b,
      names,
    });
  },
  transfer_pool_creator: ({ virtualPool, creator, newCreator }, { names }) => ({
    text: `Makes ${names.of(newCreator)} the creator of pool ${virtualPool} instead of ${names.of(creator)}, with all fees of its curve that are not claimed yet`,
  }),
};

function createsPool(
  told: Told<typeof dbc, "initialize_virtual_pool_with_token2022">,
  { names }: Context,
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
  claim_position_fee: (told, { names }) => {
    const a: MintOf = [told.tokenAMint, told.tokenAProgram];
    const b: MintOf = [told.tokenBMint, told.tokenBProgram];
    return paysFees("the fees of a position in", told, { a, b, names });
  },
  refresh_vesting: ({ pool, position, positionNftAccount, owner }, { names }) => ({
    text: `Fails unless ${names.of(owner)} holds position ${position} of pool ${pool} in ${positionNftAccount}; takes nothing`,
  }),
};

/** @param mints of what is paid; `a` is null if none of the token is */
function paysFees(
  what: string,
  {
    pool,
    tokenAAccount,
    tokenBAccount,
  }: { pool: string; tokenAAccount: string; tokenBAccount: string },
  { a, b, names }: { readonly a: MintOf | null; readonly b: MintOf; readonly names: Names },
): Words {
  const paid = (mint: MintOf, to: string): ExplainedMove => ({
    asset: mint[0],
    amount: null,
    from: pool,
    to,
  });
  const tokens = a ? `, and those in ${names.token(a[0])} to ${names.of(tokenAAccount, [a])}` : "";
  return {
    text: `Pays ${what} pool ${pool} in ${names.token(b[0])} to ${names.of(tokenBAccount, [b])}${tokens}`,
    moves: [paid(b, tokenBAccount), ...(a ? [paid(a, tokenAAccount)] : [])],
  };
}

type AnySentences = Readonly<
  Record<string, ((told: never, context: Context) => Words) | undefined>
>;

/** By the program's address. */
export const SENTENCES: ReadonlyMap<string, AnySentences> = new Map<string, AnySentences>([
  [computeBudget.id, ofComputeBudget],
  [system.id, ofSystem],
  [associatedToken.id, ofAssociatedToken],
  [token.id, ofToken],
  [token2022.id, ofToken],
  [dbc.id, ofCurve],
  [dammV2.id, ofLiquidity],
]);

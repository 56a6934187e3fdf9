import { CREATE_SPL, CREATE_TOKEN_2022, SWAP } from "../claim-check/expected-launch.ts";
import { REFRESH_VESTING, TRANSFER_POOL_CREATOR } from "../claim-check/hand-over.ts";
import {
  claimCreatorTradingFee,
  claimPositionFee,
  type FeeInstruction,
} from "../claim-check/meteora.ts";
import { textIn } from "../internal/layouts.ts";
import type { ExplainedMove } from "./explanation.ts";
import { type Explainer, type Form, type MintOf, wordsOf } from "./words.ts";

/** Bytes of data that name an instruction of Anchor's programs. */
const TAG_BYTES = 8;

interface TaggedForm extends Form {
  readonly tag: ArrayLike<number>;
}

/** The places of accounts are those of DBC's IDL 0.2.1. */
const curve: readonly TaggedForm[] = [
  createsPool("initialize_virtual_pool_with_spl_token", CREATE_SPL, { payer: 10, accounts: 16 }),
  createsPool("initialize_virtual_pool_with_token2022", CREATE_TOKEN_2022, {
    payer: 8,
    accounts: 14,
  }),
  {
    name: "swap",
    tag: SWAP,
    accounts: 15,
    words: (accounts, data, { names }) => {
      const [, , pool = "", from = "", to = "", , , base = "", quote = ""] = accounts;
      const [baseProgram = "", quoteProgram = ""] = accounts.slice(10);
      const mints: MintOf[] = [
        [quote, quoteProgram],
        [base, baseProgram],
      ];
      const [source, receiver] = [names.of(from, mints), names.of(to, mints)];
      const [paid, least] = [data.uint(8), data.uint(8)];
      const paidIn = names.mintOf(from);
      const given = `${names.amount(paid, paidIn)} from ${source}`;
      const got = `at least ${names.amount(least, names.mintOf(to))} into ${receiver}`;
      return {
        text: `Trades ${given} for ${got} on the curve of pool ${pool}`,
        moves: [{ asset: paidIn, amount: paid, from, to: pool }],
      };
    },
  },
  paysFees(claimCreatorTradingFee, "the creator's fees of the curve of"),
  {
    name: "transfer_pool_creator",
    tag: TRANSFER_POOL_CREATOR,
    accounts: 6,
    words: ([pool = "", , creator = "", heir = ""], _, { names }) => ({
      text: `Makes ${names.of(heir)} the creator of pool ${pool} instead of ${names.of(creator)}, with all fees of its curve that are not claimed yet`,
    }),
  },
];

const liquidity: readonly TaggedForm[] = [
  paysFees(claimPositionFee, "the fees of a position in"),
  {
    name: "refresh_vesting",
    tag: REFRESH_VESTING,
    accounts: 4,
    words: ([pool = "", position = "", account = "", owner = ""], _, { names }) => ({
      text: `Fails unless ${names.of(owner)} holds position ${position} of pool ${pool} in ${account}; takes nothing`,
    }),
  },
];

function createsPool(
  name: string,
  tag: Uint8Array,
  places: { readonly payer: number; readonly accounts: number },
): TaggedForm {
  return {
    name,
    tag,
    accounts: places.accounts,
    words: (accounts, data, { names }) => {
      const [config = "", , creator = "", mint = "", , pool = ""] = accounts;
      const from = accounts[places.payer] ?? "";
      const [called, symbol, uri] = [textIn(data), textIn(data), textIn(data)];
      const what = `token ${JSON.stringify(called)} (${JSON.stringify(symbol)}), mint ${mint}`;
      const where = `pool ${pool} under config ${config}, metadata at ${JSON.stringify(uri)}`;
      const who = `Its creator is ${names.of(creator)}; ${names.of(from)} pays rent and fees`;
      return {
        text: `Creates ${what}, on the curve of ${where}. ${who}`,
        moves: [{ asset: "SOL", amount: null, from, to: pool }],
      };
    },
  };
}

function paysFees({ name, discriminator, accounts: places }: FeeInstruction, what: string) {
  const of = (accounts: readonly string[], place: (typeof places)[number]) =>
    accounts[places.indexOf(place)] ?? "";
  const form: TaggedForm = {
    name,
    tag: discriminator,
    accounts: places.length,
    words: (accounts, data, { names }) => {
      const [pool, mint] = [of(accounts, "pool"), of(accounts, "tokenAMint")];
      const [toA, toB] = [of(accounts, "tokenAAccount"), of(accounts, "tokenBAccount")];
      const [mintB, programB] = [of(accounts, "tokenBMint"), of(accounts, "tokenBProgram")];
      const a = names.of(toA, [[mint, of(accounts, "tokenAProgram")]]);
      const b = names.of(toB, [[mintB, programB]]);
      // The curve's instruction sets the most of either; the position's has no arguments.
      const hasLimits = name === claimCreatorTradingFee.name;
      const mostOfToken = hasLimits ? data.uint(8) : null;
      if (hasLimits) data.uint(8);
      const moves: ExplainedMove[] = [{ asset: mintB, amount: null, from: pool, to: toB }];
      if (mostOfToken !== 0n) moves.push({ asset: mint, amount: null, from: pool, to: toA });
      const tokens = mostOfToken === 0n ? "" : `, and those in ${names.token(mint)} to ${a}`;
      return {
        text: `Pays ${what} pool ${pool} in ${names.token(mintB)} to ${b}${tokens}`,
        moves,
      };
    },
  };
  return form;
}

function byTag(forms: readonly TaggedForm[]): Explainer {
  return (told) => {
    const tag = told.data.subarray(0, TAG_BYTES);
    if (tag.length < TAG_BYTES) return null;
    const form = forms.find((one) => tag.every((byte, place) => one.tag[place] === byte));
    return wordsOf(form, told, TAG_BYTES);
  };
}

export const explainCurve = byTag(curve);
export const explainLiquidity = byTag(liquidity);

import { inTime } from "@tokenctl/shared/fee-words";
import { baseFeeAfter, FEE_DENOMINATOR } from "@tokenctl/shared/programs/curve-terms";
import { DEFAULT_CONFIG_TERMS, PRESETS } from "../server/src/launchpad/meteora/config-terms.ts";
import { feesUnder } from "../server/src/launchpad/meteora/create-config.ts";
import { earningsUnder } from "../server/src/launchpad/meteora/pool-terms.ts";

const TIMES = [0, 10, 60, 300, 600, 1_800, 3_600];
const CREATOR_SHARE = 80;
const MINUTES = 60;
/** Percent that each line of a plot stands for, from the top to the bottom. */
const LEVELS = [50, 40, 30, 25, 20, 10, 5, 2, 1];

const presets = Object.entries(PRESETS).map(([name, preset]) => {
  const fees = feesUnder({ ...DEFAULT_CONFIG_TERMS, ...preset, creatorShare: CREATOR_SHARE });
  const percentAfter = (seconds: number) =>
    Number(((baseFeeAfter(fees, BigInt(seconds)) ?? 0n) * 1_000_000n) / FEE_DENOMINATOR) / 10_000;
  return { name, percentAfter, earnings: earningsUnder(fees) };
});

const sol = (amount: number) => `${Number(amount.toPrecision(3))}`;
const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;

/** What each preset does to who buys for 100 SOL, as a table and as a plot, for `docs/operating.md`. */
export function presetsPart(): string {
  const names = presets.map(({ name }) => `\`${name}\``);
  const of = (fee: number) => {
    const left = (fee * 80) / 100;
    return `${sol(fee)}: ${sol((left * CREATOR_SHARE) / 100)}, ${sol((left * (100 - CREATOR_SHARE)) / 100)}`;
  };
  const own = presets.map(({ earnings }) => of((earnings.firstBuy ?? earnings.curve).fee));
  const rows = TIMES.map((seconds) => [
    seconds === 0 ? "a buyer in the first second" : `after ${inTime(seconds)}`,
    ...presets.map(({ percentAfter }) => of(percentAfter(seconds))),
  ]);
  const moving = presets.map(({ earnings: { volatility } }) => sol(volatility));
  const table = [
    ["who buys for 100 SOL", ...names],
    ["---", ...names.map(() => "---")],
    ["the agent, in its launch", ...own],
    ...rows,
    ["more while the price moves, at most", ...moving],
  ];
  const head = `The fee in SOL, and of it the agent's and the operator's part at \`--creator-share ${CREATOR_SHARE}\`; Meteora keeps a fifth:`;
  const plots = presets.flatMap((one) => ["", "```text", ...plotOf(one), "```"]);
  return [
    head,
    "",
    ...table.map(row),
    "",
    "The fee of a trade in percent, by minutes:",
    ...plots,
  ].join("\n");
}

function plotOf({ name, percentAfter }: (typeof presets)[number]): string[] {
  const fees = Array.from({ length: MINUTES + 1 }, (_, minute) => percentAfter(60 * minute));
  const lines = LEVELS.map((level) => {
    const bar = fees.map((fee) => (fee >= level - 0.001 ? "#" : " ")).join("");
    return `${`${level}`.padStart(3)} |${bar}`.trimEnd();
  });
  const axis = `    +${"-".repeat(MINUTES + 1)}`;
  return [
    name,
    ...lines,
    axis,
    `     0${"15".padStart(15)}${"30".padStart(15)}${"45".padStart(15)}${"60".padStart(15)}`,
  ];
}

import type { PaidClaim } from "@tokenctl/sdk";
import { useState } from "preact/hooks";
import { earnedByDay } from "../data/earnings.ts";
import { shortNumber } from "../data/numbers.ts";
import { Bars } from "./bars.tsx";
import { Switch } from "./ui.tsx";

const SPANS = { week: 7, month: 30, all: null } as const;
const NAMES = { week: "7 d", month: "30 d", all: "All" } as const;
const DATE = { day: "numeric", month: "short", timeZone: "UTC" } as const;

/** What was paid on each day, and what can be claimed now. */
export function EarningsBars(props: {
  readonly claims: readonly PaidClaim[];
  readonly claimable: bigint;
  /** When the first token was launched. */
  readonly begun: number;
}) {
  const { claims, claimable, begun } = props;
  const [span, setSpan] = useState<keyof typeof SPANS>("month");
  const days = earnedByDay(claims, claimable, { begun, now: Date.now(), days: SPANS[span] });
  const bars = days.map(({ from, values }) => ({
    name: new Date(from).toLocaleDateString("en", DATE),
    values,
  }));
  const most = Math.max(...bars.map(({ values: [paid, open] }) => paid + open));
  return (
    <div class="growth">
      <div class="line">
        <span class="label">Earnings per day, at most {shortNumber(most)} SOL</span>
        <Switch
          label="Period"
          names={NAMES}
          all={["week", "month", "all"]}
          chosen={span}
          onChoose={setSpan}
        />
      </div>
      <Bars
        bars={bars}
        parts={[
          ["success", "Paid out"],
          ["pending", "To claim now"],
        ]}
        label={`SOL paid out per day, at most ${shortNumber(most)}`}
        textOf={(total) => `${shortNumber(total)} SOL`}
      />
    </div>
  );
}

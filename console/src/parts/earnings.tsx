import type { ClaimRecord, PaidClaim } from "@tokenctl/sdk";
import { shortNumber } from "@tokenctl/shared/page-facts";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { claimableOf, claimedOf, earnedByDay, sum } from "../data/earnings.ts";
import { Bars } from "./charts.tsx";
import { Sol } from "./format.tsx";
import { Button, Stat, Switch } from "./ui.tsx";

export function Earnings(props: {
  readonly records: readonly ClaimRecord[] | null;
  readonly isBusy: boolean;
  readonly yes: string;
  readonly onClaim: () => void;
  readonly children?: ComponentChildren;
}) {
  const { records, isBusy, yes, onClaim, children } = props;
  const claimable = sum((records ?? []).map(claimableOf));
  const claimed = sum((records ?? []).map(claimedOf));
  const amount = (lamports: bigint) => (records ? <Sol lamports={lamports} /> : "…");
  return (
    <section class="card earnings" aria-label="Earnings">
      <div>
        <span class="label">To claim</span>
        <div class="sum">{amount(claimable)}</div>
      </div>
      <div class="beside">
        <Stat label="Earned in total">{amount(claimable + claimed)}</Stat>
        <Stat label="Paid out">{amount(claimed)}</Stat>
      </div>
      <Button kind="primary" isBusy={isBusy} disabled={claimable === 0n} onClick={onClaim}>
        {yes}
      </Button>
      {children}
    </section>
  );
}

const SPANS = { "7 d": 7, "30 d": 30, All: null } as const;
const DATE = { day: "numeric", month: "short", timeZone: "UTC" } as const;

export function EarningsBars({ claims }: { readonly claims: readonly PaidClaim[] }) {
  const [span, setSpan] = useState<keyof typeof SPANS>("30 d");
  const bars = earnedByDay(claims, Date.now(), SPANS[span]).map(({ from, paid }) => ({
    name: new Date(from).toLocaleDateString("en", DATE),
    value: paid,
  }));
  const most = shortNumber(Math.max(...bars.map(({ value }) => value)));
  return (
    <div class="growth">
      <div class="line">
        <span class="label">Paid out per day, at most {most} SOL</span>
        <Switch label="Period" of={SPANS} chosen={span} onChoose={setSpan} />
      </div>
      <Bars bars={bars} label={`SOL paid out per day, at most ${most}`} />
    </div>
  );
}

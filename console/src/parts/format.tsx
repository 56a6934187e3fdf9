import { formatSol, lamportsToSol, solToLamports } from "@tokenctl/shared/sol";

/** An amount in SOL with all its digits. */
export function ExactSol({ lamports }: { readonly lamports: bigint }) {
  return (
    <span class="amount">
      {formatSol(lamports)} <span class="unit">SOL</span>
    </span>
  );
}

/** An amount in SOL with four digits; all nine on hover and for screen readers. */
export function Sol({ lamports }: { readonly lamports: bigint }) {
  const all = formatSol(lamports);
  const short = lamportsToSol(lamports).toFixed(4);
  const isExact = lamports === solToLamports(Number(short));
  return (
    <span class="amount" title={isExact ? undefined : `${all} SOL`}>
      <span aria-hidden={!isExact}>
        {isExact || lamports === 0n ? "" : "≈ "}
        {short}
      </span>
      {!isExact && <span class="for-readers">{all}</span>} <span class="unit">SOL</span>
    </span>
  );
}

/** A time in the reader's zone; UTC on hover. */
export function Time({ iso }: { readonly iso: string }) {
  const date = new Date(iso);
  const local = date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  return (
    <time dateTime={iso} title={`${iso.replace("T", " ").slice(0, 19)} UTC`}>
      {local}
    </time>
  );
}

/** An address with its middle left out; all of it on hover, and to copy. */
export function Address({ value }: { readonly value: string }) {
  return (
    <span class="address" title={value}>
      <span aria-hidden="true">
        {value.slice(0, 4)}…{value.slice(-4)}
      </span>
      <span class="for-readers">{value}</span>
      <button
        type="button"
        class="quiet"
        aria-label={`Copy ${value}`}
        onClick={() => void navigator.clipboard?.writeText(value)}
      >
        <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
          <path
            d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z"
            fill="none"
            stroke="currentColor"
            stroke-width="1.4"
          />
        </svg>
      </button>
    </span>
  );
}

import { formatSol } from "@tokenctl/shared/sol";
import { useEffect, useState } from "preact/hooks";
import { explorerLink } from "../data/network.ts";
import { alignedSol, shortNumber, shortPrice, shortSol } from "../data/numbers.ts";
import { Icon } from "./icon.tsx";
import { notice } from "./notices.tsx";

/** An amount in SOL with all its digits. */
export function ExactSol({ lamports }: { readonly lamports: bigint }) {
  return (
    <span class="amount">
      {formatSol(lamports)} <span class="unit">SOL</span>
    </span>
  );
}

/** An amount in SOL with four digits; all of them on hover and for screen readers. */
export function Sol(props: {
  readonly lamports: bigint;
  /** Whether it stands below others, and has as many decimals. */
  readonly isAligned?: boolean;
}) {
  const { lamports, isAligned = false } = props;
  const short = isAligned ? alignedSol(lamports) : shortSol(lamports);
  return <Amount short={short} all={formatSol(lamports)} />;
}

/** A price or a worth in SOL with four digits, its zeros counted; whole on hover and for screen readers. */
export const SolNumber = ({ value }: { readonly value: number }) => (
  <Amount short={shortPrice(value)} all={shortNumber(value)} />
);

function Amount({ short, all }: { readonly short: string; readonly all: string }) {
  const isExact = short.replaceAll(",", "") === all.replaceAll(",", "");
  return (
    <span class="amount" title={`${all} SOL`}>
      <span aria-hidden={!isExact}>{short}</span>
      {!isExact && <span class="for-readers">{all}</span>} <span class="unit">SOL</span>
    </span>
  );
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const AGO = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" });

/** @returns for example `3 min. ago`; the date once it is a day ago */
function timeAgo(date: Date): string {
  const age = Date.now() - date.getTime();
  if (age < MINUTE_MS) return "just now";
  if (age < 60 * MINUTE_MS) return AGO.format(-Math.floor(age / MINUTE_MS), "minute");
  if (age < DAY_MS) return AGO.format(-Math.floor(age / 60 / MINUTE_MS), "hour");
  return dayOf(date);
}

/** @returns for example `Nov 5`; with its year unless that is this one */
function dayOf(date: Date): string {
  const year = date.getFullYear() === new Date().getFullYear() ? {} : { year: "numeric" as const };
  return date.toLocaleDateString("en", { day: "numeric", month: "short", ...year });
}

/** How long ago something was; the time in the reader's zone and in UTC on hover. */
export function Time({ iso }: { readonly iso: string }) {
  const date = new Date(iso);
  const local = date.toLocaleString("en", { dateStyle: "medium", timeStyle: "medium" });
  return (
    <time dateTime={iso} title={`${local} (${iso.replace("T", " ").slice(0, 19)} UTC)`}>
      {timeAgo(date)}
    </time>
  );
}

/** @returns for example `Today`, `Yesterday`, `Nov 5` */
export function dayName(date: Date): string {
  const days = Math.round((startOf(new Date()) - startOf(date)) / DAY_MS);
  return days < 2 ? (days === 1 ? "Yesterday" : "Today") : dayOf(date);
}

const startOf = (date: Date) => new Date(date).setHours(0, 0, 0, 0);

/** A time of day to the second, for steps that follow each other quickly; with its date unless that is said or today. */
export function Clock(props: { readonly iso: string; readonly isDated?: boolean }) {
  const { iso, isDated = true } = props;
  const date = new Date(iso);
  const isToday = !isDated || date.toDateString() === new Date().toDateString();
  return (
    <time dateTime={iso} title={`${iso.replace("T", " ").slice(0, 19)} UTC`}>
      {!isToday && `${dayOf(date)}, `}
      {date.toLocaleTimeString("en", { hour12: false })}
    </time>
  );
}

/** Counts down by the second. @param onEnd called once at its end */
export function TimeLeft(props: { readonly until: Date; readonly onEnd?: () => void }) {
  const { until, onEnd } = props;
  const left = () => Math.max(0, Math.round((until.getTime() - Date.now()) / 1_000));
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(left()), 1_000);
    return () => clearInterval(timer);
  }, [until]);
  useEffect(() => {
    if (seconds === 0) onEnd?.();
  }, [seconds === 0]);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60)];
  const short = minutes > 1 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
  return <span role="timer">{hours > 0 ? `${hours} h ${minutes % 60} min` : short}</span>;
}

/** An address with its middle left out; all of it on hover, and to copy. */
export function Address(props: {
  readonly value: string;
  /** Whether it leads to an explorer. */
  readonly isLinked?: boolean;
}) {
  const { value, isLinked = false } = props;
  const link = isLinked ? explorerLink("address", value) : null;
  return (
    <span class="address" title={value}>
      <span aria-hidden="true">
        {value.slice(0, 4)}…{value.slice(-4)}
      </span>
      <span class="for-readers">{value}</span>
      <Copy text={value} />
      {link !== null && <Outside href={link}>Explorer</Outside>}
    </span>
  );
}

export function Transaction({ hash }: { readonly hash: string }) {
  const link = explorerLink("tx", hash);
  const text = `${hash.slice(0, 8)}…`;
  return link === null ? <span title={hash}>{text}</span> : <Outside href={link}>{text}</Outside>;
}

/** A link to another site, which learns nothing of this page. */
export function Outside(props: {
  readonly href: string;
  /** How it looks. */
  readonly kind?: "clip" | "button" | "button primary";
  readonly children: string;
}) {
  const { href, kind = "clip", children } = props;
  const title = kind === "clip" ? href : undefined;
  return (
    <a class={kind} href={href} title={title} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** A name that an agent has chosen, whole on hover. */
export const Name = ({
  text,
  kind = "clip",
}: {
  readonly text: string;
  readonly kind?: string;
}) => (
  <span class={kind} dir="auto" title={text}>
    {text}
  </span>
);

export function Copy(props: { readonly text: string; readonly name?: string }) {
  const { text, name = `Copy ${text}` } = props;
  return (
    <button type="button" class="button quiet" aria-label={name} onClick={() => copy(text)}>
      <Icon name="copy" size={14} />
    </button>
  );
}

export function CopyButton({ text, name }: { readonly text: string; readonly name: string }) {
  return (
    <button type="button" class="button" onClick={() => copy(text)}>
      <Icon name="copy" size={16} /> {name}
    </button>
  );
}

function copy(text: string): void {
  const copied = async () => {
    await navigator.clipboard.writeText(text);
    notice("Copied");
  };
  void copied().catch(() => notice("The browser does not allow copying"));
}

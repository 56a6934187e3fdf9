import { shortNumber } from "@tokenctl/shared/page-facts";
import { formatSol } from "@tokenctl/shared/sol";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { explorerLink } from "../data/network.ts";
import { alignedSol, shortPrice, shortSol } from "../data/numbers.ts";
import { notice } from "./frame.tsx";
import { Button, Icon } from "./ui.tsx";

export function ExactSol({ lamports }: { lamports: bigint }) {
  return (
    <span class="amount">
      {formatSol(lamports)} <span class="unit">SOL</span>
    </span>
  );
}

/** Shows an amount in SOL with four digits; all digits on hover and for screen readers. */
export function Sol(props: {
  readonly lamports: bigint;
  /** Whether the amount is in a column and has as many decimals as the others. */
  readonly isAligned?: boolean;
}) {
  const { lamports, isAligned = false } = props;
  const short = isAligned ? alignedSol(lamports) : shortSol(lamports);
  return <Amount short={short} all={formatSol(lamports)} />;
}

/** Shows a price or value in SOL with four digits and counted zeros; all digits on hover. */
export const SolNumber = ({ value }: { value: number }) => (
  <Amount short={shortPrice(value)} all={shortNumber(value)} />
);

function Amount({ short, all }: { short: string; all: string }) {
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

/** Returns an age such as `3 min. ago`, or a date after a day. */
function timeAgo(date: Date): string {
  const age = Date.now() - date.getTime();
  if (age < MINUTE_MS) return "just now";
  if (age < 60 * MINUTE_MS) return AGO.format(-Math.floor(age / MINUTE_MS), "minute");
  if (age < DAY_MS) return AGO.format(-Math.floor(age / 60 / MINUTE_MS), "hour");
  return dayOf(date);
}

/** Returns a date such as `Nov 5`, with its year unless it is the current one. */
export function dayOf(date: Date): string {
  const year = date.getFullYear() === new Date().getFullYear() ? {} : { year: "numeric" as const };
  return date.toLocaleDateString("en", { day: "numeric", month: "short", ...year });
}

/** Shows a moment in words; on hover, its time in the reader's zone and in UTC. */
function Moment({ iso, children }: { iso: string; children: ComponentChildren }) {
  const local = new Date(iso).toLocaleString("en", { dateStyle: "medium", timeStyle: "medium" });
  return (
    <time dateTime={iso} title={`${local} (${iso.replace("T", " ").slice(0, 19)} UTC)`}>
      {children}
    </time>
  );
}

export const Time = ({ iso }: { iso: string }) => (
  <Moment iso={iso}>{timeAgo(new Date(iso))}</Moment>
);

export const Day = ({ iso }: { iso: string }) => <Moment iso={iso}>{dayOf(new Date(iso))}</Moment>;

/** Shows a time of day to the second. Adds the date unless it is today or `isDated` is false. */
export function Clock(props: { readonly iso: string; readonly isDated?: boolean }) {
  const { iso, isDated = true } = props;
  const date = new Date(iso);
  const isToday = !isDated || date.toDateString() === new Date().toDateString();
  return (
    <Moment iso={iso}>
      {!isToday && `${dayOf(date)}, `}
      {date.toLocaleTimeString("en", { hourCycle: "h23" })}
    </Moment>
  );
}

/** Counts down by the second. @param onEnd called once at the end */
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

/** Shows an address without its middle; all of it on hover, and a button copies it. */
export function Address(props: { readonly value: string; readonly isLinked?: boolean }) {
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

export function Transaction({ hash }: { hash: string }) {
  const link = explorerLink("tx", hash);
  const text = `${hash.slice(0, 8)}…`;
  return link === null ? <span title={hash}>{text}</span> : <Outside href={link}>{text}</Outside>;
}

/** A link to another site, which learns nothing about this page. */
export function Outside(props: {
  readonly href: string;
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

export const Name = ({ text, kind = "clip" }: { text: string; kind?: string }) => (
  <span class={kind} dir="auto" title={text}>
    {text}
  </span>
);

/** Copies a text. Only screen readers get its name, unless it `isNamed`. */
export function Copy(props: {
  readonly text: string;
  readonly name?: string;
  readonly isNamed?: true;
}) {
  const { text, name = `Copy ${text}`, isNamed } = props;
  return (
    <Button
      kind={isNamed ? "plain" : "quiet"}
      aria-label={isNamed ? undefined : name}
      onClick={() => copy(text)}
    >
      <Icon name="copy" size={isNamed ? 16 : 14} />
      {isNamed && name}
    </Button>
  );
}

function copy(text: string): void {
  const copied = async () => {
    await navigator.clipboard.writeText(text);
    notice("Copied");
  };
  void copied().catch(() => notice("The browser does not allow copying"));
}

/** Shows a command that wraps between words, and within a word only if it exceeds a line. */
export function Code({ text, name }: { text: string; name: string }) {
  return (
    <div class="code">
      <pre>
        <code>
          {text.split(/(\s+)/).map((word, n) => (word.trim() ? <span key={n}>{word}</span> : word))}
        </code>
      </pre>
      <Copy text={text} name={name} />
    </div>
  );
}

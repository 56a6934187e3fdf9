import type { Health } from "@tokenctl/sdk";
import type { ComponentChildren } from "preact";
import type { Loaded } from "../data/load.ts";
import { NETWORK_NAMES, network } from "../data/network.ts";
import { BASE, pageFacts } from "../data/page.ts";
import { hasEnded, otherAccount, Shared, useShared } from "../data/shared.ts";
import { Badge, Icon } from "./ui.tsx";

const { brand } = pageFacts;

export function Frame(props: {
  readonly health: Loaded<Health>;
  /** Shown unless the page has something more urgent to say. */
  readonly banner: ComponentChildren;
  readonly nav: ComponentChildren;
  readonly wallet: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const { health, banner, nav, wallet, children } = props;
  const name = useShared(network);
  const [tone, state] =
    health.error !== null || health.data?.ok === false
      ? ["bad", health.error === null ? "There is a problem" : "Not reachable"]
      : health.data?.message
        ? ["warn", "Limited"]
        : ["good", "All systems work"];
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header>
        <a class="brand" href={BASE.pathname}>
          {brand.hasLogo ? (
            <img src={`${BASE.pathname}icon.png`} alt="" height={24} />
          ) : (
            <Icon name="tokens" size={22} />
          )}{" "}
          <span class="word">{brand.name}</span>
        </a>
        {name && (
          <Badge tone={name === "mainnet-beta" ? "good" : "plain"}>{NETWORK_NAMES[name]}</Badge>
        )}
        {nav}
        <div class="wallet">{wallet}</div>
      </header>
      <Banner health={health}>{banner}</Banner>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <footer>
        <span>
          <strong>{brand.name}</strong> {brand.version}
        </span>
        {brand.pages.map(({ name, href }) => (
          <a
            key={name}
            class={href === "status" ? tone : undefined}
            href={new URL(href, BASE).href}
            rel="noopener noreferrer"
          >
            {href === "status" ? state : name}
          </a>
        ))}
      </footer>
      <Notices />
    </>
  );
}

function Banner(props: { readonly health: Loaded<Health>; readonly children: ComponentChildren }) {
  const { data, error } = props.health;
  const ended = useShared(hasEnded);
  const other = useShared(otherAccount);
  if (error !== null) {
    return <Alert>The server cannot be reached. This page tries again by itself.</Alert>;
  }
  if (data?.ok === false) return <Alert>The service has a problem: {data.message}</Alert>;
  if (ended || other !== null) return <>{props.children}</>;
  return data?.message ? <Alert>{data.message}</Alert> : null;
}

export const Alert = ({ children }: { children: ComponentChildren }) => (
  <div class="banner" role="status">
    {children}
  </div>
);

const SHOWN_MS = 8_000;

const notices = new Shared<readonly { readonly text: string }[]>([]);

/** Shows a text at the page's edge for a few seconds, unless it is already visible. */
export function notice(text: string): void {
  if (notices.value.some((each) => each.text === text)) return;
  const added = { text };
  notices.set([...notices.value, added]);
  setTimeout(() => notices.set(notices.value.filter((each) => each !== added)), SHOWN_MS);
}

function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {useShared(notices).map(({ text }, index) => (
        <p key={`${index} ${text}`}>{text}</p>
      ))}
    </div>
  );
}

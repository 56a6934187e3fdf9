import { useEffect, useState } from "preact/hooks";
import { NETWORK_NAMES, type Network, useHealth } from "./data/network.ts";
import { NewsContext, useEvents } from "./data/news.ts";
import { type Session, SessionContext } from "./data/session.ts";
import { ClearSigning } from "./parts/clear-signing.tsx";
import { Address } from "./parts/format.tsx";
import { Notices, notify } from "./parts/notices.tsx";
import { Loading, Problem } from "./parts/states.tsx";
import { hrefs, type Route, useRoute } from "./router.ts";
import { Activity } from "./screens/activity.tsx";
import { Connect } from "./screens/connect.tsx";
import { Launch } from "./screens/launch.tsx";
import { LaunchProgress } from "./screens/launch-progress.tsx";
import { TokenDetail } from "./screens/token-detail.tsx";
import { Tokens } from "./screens/tokens.tsx";

export function App() {
  const route = useRoute();
  const health = useHealth();
  const [session, setSession] = useState<Session | null>(null);
  const news = useEvents(session, notify);
  const network: Network | null = health.data?.network ?? null;
  return (
    <SessionContext.Provider value={session}>
      <NewsContext.Provider value={news}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <header>
          <a class="brand" href={hrefs.tokens}>
            tokend
          </a>
          {network && (
            <span class={`network ${network === "mainnet-beta" ? "real" : ""}`}>
              {NETWORK_NAMES[network]}
            </span>
          )}
          {session && <Navigation route={route} />}
          {session && (
            <div class="wallet">
              <span class="wide">{session.walletName}</span> <Address value={session.address} />
              <button type="button" onClick={() => setSession(null)}>
                Sign out
              </button>
            </div>
          )}
        </header>
        <OfflineNotice />
        {health.data?.ok === false && (
          <p class="banner" role="status">
            The service has a problem: {health.data.message}
          </p>
        )}
        <main id="main" tabIndex={-1}>
          {health.data === null && health.error === null && <Loading what="the service" />}
          {health.data === null && health.error !== null && (
            <Problem error={health.error} onRetry={health.reload} />
          )}
          {health.data && !session && <Connect network={network} onSession={setSession} />}
          {session && <Screen route={route} />}
        </main>
        {session && <ClearSigning />}
        <Notices />
      </NewsContext.Provider>
    </SessionContext.Provider>
  );
}

function Navigation({ route: { screen } }: { readonly route: Route }) {
  const link = (href: string, name: string, ...screens: Route["screen"][]) => (
    <a href={href} aria-current={screens.includes(screen) ? "page" : undefined}>
      {name}
    </a>
  );
  return (
    <nav aria-label="Main">
      {link(hrefs.tokens, "Tokens", "tokens", "token")}
      {link(hrefs.launch, "Launch", "launch", "status")}
      {link(hrefs.activity, "Activity", "activity")}
    </nav>
  );
}

function Screen({ route }: { readonly route: Route }) {
  switch (route.screen) {
    case "tokens":
      return <Tokens />;
    case "token":
      return <TokenDetail mint={route.mint} key={route.mint} />;
    case "launch":
      return <Launch />;
    case "status":
      return <LaunchProgress eventId={route.eventId} key={route.eventId} />;
    case "activity":
      return <Activity />;
  }
}

function OfflineNotice() {
  const isOnline = useOnline();
  return isOnline ? null : (
    <p class="banner" role="status">
      You are offline. This page may be out of date, and you cannot send anything until you
      reconnect.
    </p>
  );
}

function useOnline(): boolean {
  const [isOnline, setIsOnline] = useState(navigator.onLine);
  useEffect(() => {
    const read = () => setIsOnline(navigator.onLine);
    addEventListener("online", read);
    addEventListener("offline", read);
    return () => {
      removeEventListener("online", read);
      removeEventListener("offline", read);
    };
  }, []);
  return isOnline;
}

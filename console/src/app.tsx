import { useEffect, useState } from "preact/hooks";
import { useKeptFocus } from "./data/focus.ts";
import { NETWORK_NAMES, type Network, useHealth } from "./data/network.ts";
import { NewsContext, useFollowing } from "./data/news.ts";
import { hasEnded, restoreSession, type Session, SessionContext, signOut } from "./data/session.ts";
import { useShared } from "./data/shared.ts";
import { ClearSigning } from "./parts/clear-signing.tsx";
import { Confirmation, isOwnCancel } from "./parts/confirmation.tsx";
import { eventWords } from "./parts/event-text.ts";
import { Address } from "./parts/format.tsx";
import { Icon, type IconName } from "./parts/icon.tsx";
import { Notices, notice } from "./parts/notices.tsx";
import { inWords } from "./parts/states.tsx";
import { Badge, Button, Card, Empty, Skeleton } from "./parts/ui.tsx";
import { hrefs, type Route, useRoute, useTitle } from "./router.ts";
import { Activity } from "./screens/activity.tsx";
import { Landing } from "./screens/landing.tsx";
import { Launch } from "./screens/launch.tsx";
import { LaunchProgress } from "./screens/launch-progress.tsx";
import { OperatorView } from "./screens/operator.tsx";
import { Settings } from "./screens/settings.tsx";
import { SharedToken } from "./screens/shared-token.tsx";
import { TokenDetail } from "./screens/token-detail.tsx";
import { Tokens } from "./screens/tokens.tsx";

export function App() {
  const route = useRoute();
  useKeptFocus();
  const health = useHealth();
  // Undefined until the network is known, with which a session of this tab is restored.
  const [known, setSession] = useState<Session | null>();
  const network: Network | null = health.data?.network ?? null;
  const isReady = health.data !== null;
  useEffect(() => {
    if (isReady) setSession((before) => before ?? restoreSession(network ?? "private"));
  }, [isReady]);
  const session = known ?? null;
  useTitle(session === null && route.screen === "tokens" ? START : TITLES[route.screen]);
  const news = useFollowing(session, (event) => {
    if (!isOwnCancel(event)) notice(eventWords(event).text);
  });
  return (
    <SessionContext.Provider value={session}>
      <NewsContext.Provider value={news}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <header>
          <a class="brand" href={hrefs.tokens}>
            <Icon name="tokens" size={22} /> <span class="word">tokend</span>
          </a>
          {network && (
            <Badge tone={network === "mainnet-beta" ? "good" : "plain"}>
              {NETWORK_NAMES[network]}
            </Badge>
          )}
          {session && <Navigation route={route} />}
          {route.screen === "shared" && !session && (
            <a class="button wallet" href={hrefs.tokens}>
              Sign in
            </a>
          )}
          {session && (
            <div class="wallet">
              <Address value={session.address} />
              <Button
                icon="out"
                onClick={() => {
                  signOut();
                  setSession(null);
                }}
              >
                <span class="word">Sign out</span>
              </Button>
            </div>
          )}
        </header>
        <Banner health={health} session={session} />
        <main id="main" tabIndex={-1}>
          {session || route.screen === "shared" || route.screen === "operator" ? (
            <Screen route={route} />
          ) : (
            <>
              {known === undefined && health.error === null && <Skeleton what="the service" />}
              {known === null && <Landing network={network} onSession={setSession} />}
            </>
          )}
        </main>
        {session && <ClearSigning />}
        <Confirmation />
        <Notices />
      </NewsContext.Provider>
    </SessionContext.Provider>
  );
}

const START = "Tokens that agents launch";

/** Of screens that do not name themselves by their token. */
const TITLES: Partial<Record<Route["screen"], string>> = {
  tokens: "Your tokens",
  launch: "Launch a token",
  activity: "Activity",
  settings: "Settings",
  operator: "Operator",
  unknown: "No such page",
};

const LINKS: readonly (readonly [name: string, icon: IconName, ...screens: Route["screen"][]])[] = [
  ["Tokens", "tokens", "tokens", "token"],
  ["Launch", "launch", "launch", "status"],
  ["Activity", "activity", "activity"],
  ["Settings", "settings", "settings"],
];

function Navigation({ route: { screen } }: { readonly route: Route }) {
  return (
    <nav aria-label="Main">
      {LINKS.map(([name, icon, ...screens]) => (
        <a
          key={name}
          href={hrefs[icon as "tokens" | "launch" | "activity" | "settings"]}
          aria-current={screens.includes(screen) ? "page" : undefined}
        >
          <Icon name={icon} /> {name}
        </a>
      ))}
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
    case "settings":
      return <Settings />;
    case "shared":
      return <SharedToken mint={route.mint} />;
    case "operator":
      return <OperatorView />;
    case "unknown":
      return (
        <>
          <h1>There is no such page</h1>
          <Card>
            <Empty title="This address leads nowhere">
              <p>Check the link, or go on with your tokens.</p>
              <a class="button primary" href={hrefs.tokens}>
                See your tokens
              </a>
            </Empty>
          </Card>
        </>
      );
  }
}

/** What concerns every screen, said once: the most urgent of it. */
function Banner({
  health: { data, error },
  session,
}: {
  readonly health: ReturnType<typeof useHealth>;
  readonly session: Session | null;
}) {
  const isOnline = useOnline();
  const ended = useShared(hasEnded);
  if (!isOnline) return <Alert>You are offline. This page goes on when you are back.</Alert>;
  if (error !== null) {
    return <Alert>The server cannot be reached. This page tries again by itself.</Alert>;
  }
  if (data?.ok === false) return <Alert>The service has a problem: {data.message}</Alert>;
  if (ended && session) return <SessionEndedBanner session={session} />;
  return data?.message ? <Alert>{data.message}</Alert> : null;
}

function Alert({ children }: { readonly children: preact.ComponentChildren }) {
  return (
    <div class="banner" role="status">
      {children}
    </div>
  );
}

function SessionEndedBanner({ session }: { readonly session: Session }) {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const signIn = async () => {
    setIsBusy(true);
    setError(null);
    await session.signIn().catch(setError);
    setIsBusy(false);
  };
  return (
    <Alert>
      <span>Session ended. {error !== null && inWords(error).text}</span>
      <Button kind="primary" isBusy={isBusy} onClick={() => void signIn()}>
        Sign in
      </Button>
    </Alert>
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

import type { AgentEvent, Health, TokenctlClient } from "@tokenctl/sdk";
import { CANCELLED } from "@tokenctl/shared/words";
import { useEffect } from "preact/hooks";
import type { Loaded } from "./data/load.ts";
import { useFollowing } from "./data/news.ts";
import { hrefs } from "./data/page.ts";
import { followAccount, restoreSession, signOut, useSession } from "./data/session.ts";
import { currentSession, hasEnded, otherAccount, signInAsked, useShared } from "./data/shared.ts";
import { useWork } from "./parts/field.tsx";
import { Address } from "./parts/format.tsx";
import { Alert, notice } from "./parts/frame.tsx";
import { Question } from "./parts/questions.tsx";
import { Together } from "./parts/states.tsx";
import { Button, Dialog, Icon, type IconName } from "./parts/ui.tsx";
import { eventWords } from "./parts/words.ts";
import { goTo, type Route } from "./router.ts";
import { Activity } from "./screens/activity.tsx";
import { Connect } from "./screens/connect.tsx";
import { Launch } from "./screens/launch.tsx";
import { LaunchProgress } from "./screens/launch-progress.tsx";
import { Settings } from "./screens/settings.tsx";
import { TokenDetail } from "./screens/token-detail.tsx";
import { Tokens } from "./screens/tokens.tsx";

export function Room({ route }: { route: Route }) {
  return (
    <Together key={JSON.stringify(route)}>
      <Screen route={route} />
    </Together>
  );
}

function Screen({ route }: { route: Route }) {
  switch (route.screen) {
    case "tokens":
      return <Tokens />;
    case "token":
      return <TokenDetail mint={route.mint} />;
    case "launch":
      return <Launch />;
    case "status":
      return <LaunchProgress eventId={route.eventId} />;
    case "activity":
      return <Activity />;
    case "settings":
      return <Settings />;
    default:
      return null;
  }
}

const LINKS: readonly (readonly [name: string, icon: IconName, ...screens: Route["screen"][]])[] = [
  ["Tokens", "tokens", "tokens", "token"],
  ["Launch", "launch", "launch", "status"],
  ["Activity", "activity", "activity"],
  ["Settings", "settings", "settings"],
];

export function Navigation({ route: { screen } }: { readonly route: Route }) {
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

export function WalletInHeader() {
  return (
    <>
      <Address value={useSession().address} />
      <Button onClick={signOut}>
        <Icon name="out" />
        <span class="word">Sign out</span>
      </Button>
    </>
  );
}

export function Always(props: { readonly health: Loaded<Health>; readonly isNeeded: boolean }) {
  const { health, isNeeded } = props;
  const session = useShared(currentSession);
  const isAsked = useShared(signInAsked);
  const isReady = health.data !== null;
  const network = health.data?.network ?? "private";
  useEffect(() => {
    if (isReady && !currentSession.value) currentSession.set(restoreSession(network));
  }, [isReady]);
  useEffect(() => (session ? followAccount(session) : undefined), [session]);
  useFollowing(session ?? null, (event) => {
    if (session) void announce(session.client, event);
  });
  const cancel = () => {
    signInAsked.set(false);
    if (isNeeded) goTo(hrefs.start);
  };
  return (
    <>
      {session === null && (isAsked || isNeeded) && (
        <Dialog titleId="sign-in" onCancel={cancel}>
          <Connect
            network={health.data?.network ?? null}
            onSession={(opened) => {
              currentSession.set(opened);
              signInAsked.set(false);
              if (!isNeeded) goTo(hrefs.tokens);
            }}
          />
          <div class="line end">
            <Button onClick={cancel}>Not now</Button>
          </div>
        </Dialog>
      )}
      <Question />
    </>
  );
}

/** Shows an event, unless it is a launch that its agent cancelled or has retried since. */
async function announce(client: TokenctlClient, event: AgentEvent) {
  if (event.type === "launch.failed") {
    // The event has no reason.
    const launch = await client.launchStatus(event.data.eventId).catch(() => null);
    if (launch && (launch.status !== "failed" || launch.error === CANCELLED)) return;
  }
  notice(eventWords(event));
}

export function SessionBanner() {
  const session = useShared(currentSession);
  const ended = useShared(hasEnded);
  const other = useShared(otherAccount);
  const { isBusy, problem, run } = useWork();
  if (!session || (!ended && other === null)) return null;
  const change = () => {
    signOut();
    signInAsked.set(true);
  };
  return (
    <Alert>
      {ended ? (
        <span>Session ended. {problem}</span>
      ) : (
        <span>
          {session.walletName} shows another account now: <Address value={other ?? ""} />
        </span>
      )}
      <Button
        kind="primary"
        isBusy={isBusy}
        onClick={() => (ended ? void run(session.signIn) : change())}
      >
        {ended ? "Sign in" : "Sign in with it"}
      </Button>
    </Alert>
  );
}

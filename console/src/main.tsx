import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useHealth } from "./data/network.ts";
import { currentSession, mayHaveSession, signInAsked, useShared } from "./data/shared.ts";
import { Frame } from "./parts/frame.tsx";
import { Problem } from "./parts/states.tsx";
import { Button, Card, Empty, Nowhere, Skeleton } from "./parts/ui.tsx";
import { isOwnRoom, type Route, useRoute, useTitle } from "./router.ts";
import { Landing } from "./screens/landing.tsx";
import { AgentPage, SharedToken } from "./screens/public.tsx";
import "./tokens.css";
import "./page.css";
import "./parts.css";
import "./fields.css";
import "./screens.css";
import "./market.css";
import "./narrow.css";

/** Shows the public pages. Loads an agent's rooms and the sign-in only when they are needed. */
function App() {
  const route = useRoute();
  const health = useHealth();
  const session = useShared(currentSession);
  const isAsked = useShared(signInAsked);
  const isOwn = isOwnRoom(route);
  const { rooms, error } = useRooms(isOwn || isAsked || mayHaveSession());
  useTitle(TITLES[route.screen]);
  return (
    <>
      <Frame
        health={health}
        banner={rooms && <rooms.SessionBanner />}
        nav={rooms && session && <rooms.Navigation route={route} />}
        wallet={
          rooms && session ? (
            <rooms.WalletInHeader />
          ) : (
            <Button onClick={() => signInAsked.set(true)}>Sign in</Button>
          )
        }
      >
        {/* Browsers keep a failure, and a newer server has other files. */}
        {error !== null && <Problem error={error} onRetry={() => location.reload()} />}
        {!isOwn && <Public route={route} />}
        {isOwn && rooms && session && <rooms.Room route={route} />}
        {isOwn && (!rooms || session === undefined) && <Skeleton what="the page" />}
        {isOwn && rooms && session === null && (
          <Card>
            <Empty title="Sign in to see this page">
              <Button kind="primary" onClick={() => signInAsked.set(true)}>
                Choose a wallet
              </Button>
            </Empty>
          </Card>
        )}
      </Frame>
      {rooms && <rooms.Always health={health} isNeeded={isOwn} />}
    </>
  );
}

/** The titles of screens. A token names its own screen, and the server names public pages. */
const TITLES: Partial<Record<Route["screen"], string>> = {
  tokens: "Your tokens",
  launch: "Launch a token",
  activity: "Activity",
  settings: "Settings",
  unknown: "No such page",
};

const loadRooms = () => import("./rooms.tsx");

function useRooms(isNeeded: boolean) {
  const [rooms, setRooms] = useState<Awaited<ReturnType<typeof loadRooms>> | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    if (isNeeded && !rooms) void loadRooms().then(setRooms, setError);
  }, [isNeeded]);
  return { rooms, error };
}

function Public({ route }: { route: Route }) {
  switch (route.screen) {
    case "start":
      return <Landing />;
    case "shared":
      return <SharedToken mint={route.mint} />;
    case "agent":
      return <AgentPage wallet={route.wallet} />;
    default:
      return (
        <Nowhere title="There is no such page">
          <p>Check the link, or see the tokens of this service.</p>
        </Nowhere>
      );
  }
}

const root = document.getElementById("root");
if (root) {
  root.replaceChildren();
  render(<App />, root);
}

import type { Server } from "bun";
import { systemClock } from "../base/clock.ts";
import { type App, type ListenOptions, openPort } from "../http/listen.ts";

/** Listens, and hands each request to the app. @throws {Error} if the port is taken */
export function listen(
  app: App,
  options: Pick<ListenOptions, "hostname" | "port" | "idleTimeoutSeconds">,
): Server<undefined> {
  const port = openPort({
    clock: systemClock,
    corsOrigins: [],
    drain: { isDraining: false },
    ...options,
  });
  port.serve(app);
  return port.server;
}

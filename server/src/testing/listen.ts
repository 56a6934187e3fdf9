import { connect } from "node:net";
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

/** Sends bytes as they are. @returns all that comes until the server closes the connection */
export function exchange(port: string | number | undefined, request: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let answer = "";
  const socket = connect(Number(port), "127.0.0.1", () => socket.write(request));
  socket.on("data", (data) => {
    answer += data;
  });
  // The server closes before it has read all of a refused body.
  socket.on("error", () => {});
  socket.on("close", () => resolve(answer));
  return promise;
}

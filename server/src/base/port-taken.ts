/**
 * Names the host, the port and the remedy if a port is taken. Bun's own message names neither the
 * host nor the setting.
 *
 * @param listen binds the port
 * @param remedy how the operator chooses another, for example `set PORT to another`
 * @throws {Error} if the port is taken; any other error of `listen` is passed on
 */
export function explainTakenPort<Listening>(
  listen: () => Listening,
  { hostname, port, remedy }: { hostname: string; port: number; remedy: string },
): Listening {
  try {
    return listen();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    const host = hostname.includes(":") ? `[${hostname}]` : hostname;
    throw new Error(
      `${host}:${port} is taken: another program listens there; stop it, or ${remedy}`,
      { cause: error },
    );
  }
}

/**
 * Names host, port and remedy if a port is taken; Bun's message names neither host nor setting.
 *
 * @param remedy how the operator chooses another, for example `set PORT to another`
 * @throws {Error} that, or any other error of `listen`
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

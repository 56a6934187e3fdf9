/**
 * Says, where a port is taken, which one and what to do about it. Bun's own message names neither
 * the host nor the setting.
 *
 * @param listen what binds the port
 * @param remedy how the operator chooses another, for example `set PORT to another`
 * @throws {Error} where the port is taken; what else `listen` throws goes through
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

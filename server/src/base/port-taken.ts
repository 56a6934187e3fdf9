/** Names host and port if the port is taken, which Bun's own message does not. */
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

import type pg from "pg";
import { parsePostgresUrl } from "../../base/postgres-url.ts";
import { explainConnectError } from "./connect-error.ts";
import { TIMEOUTS } from "./connection.ts";
import { Primary } from "./primary.ts";

/**
 * Opens one connection without timeouts, for a command's work, and ends it afterwards.
 *
 * @param url see `parsePostgresUrl`
 * @returns what `work` returns
 * @throws {Error} saying in one line, without the password, why there is no connection; or what `work`
 * throws
 */
export async function withConnection<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const target = parsePostgresUrl(url);
  const primary = new Primary(target, { size: 1, timeouts: TIMEOUTS });
  let client: pg.Client | null = null;
  try {
    client = await primary.connectAlone().catch((cause) => {
      throw new Error(explainConnectError(cause, target), { cause });
    });
    return await work(client);
  } finally {
    // A connection that is lost already has nothing to say.
    await client?.end().catch(() => {});
    await primary.close();
  }
}

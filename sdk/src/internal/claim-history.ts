import type { ClaimHistory, PaidClaim } from "@tokenctl/shared/types";
import { InvalidResponseError } from "../errors.ts";
import type { HistoryOptions, PageOptions } from "../options.ts";

type ReadPage = (options: HistoryOptions & PageOptions) => Promise<ClaimHistory>;

/** Claims of one request. */
const PAGE = 500;

/** Yields all claims, and asks for a page when the one before is used up. */
export async function* claimHistory(
  readPage: ReadPage,
  options: HistoryOptions,
): AsyncGenerator<PaidClaim, void, undefined> {
  let cursor: string | undefined;
  do {
    const { claims, nextCursor } = await readPage({ ...options, limit: PAGE, cursor });
    yield* claims;
    if (nextCursor !== undefined && (nextCursor === cursor || claims.length === 0)) {
      throw new InvalidResponseError("The pages of the claims' history have no end", 200, null);
    }
    cursor = nextCursor;
  } while (cursor !== undefined);
}

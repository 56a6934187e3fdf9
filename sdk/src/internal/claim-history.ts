import type { ClaimHistory, PaidClaim } from "@tokenctl/shared/types";
import { InvalidResponseError } from "../errors.ts";
import type { HistoryOptions, PageOptions } from "../options.ts";

type ReadPage = (options: HistoryOptions & PageOptions) => Promise<ClaimHistory>;

/** Claims per request. */
const PAGE = 500;

/** Yields all claims, and reads each page when the previous one is used up. */
export async function* claimHistory(
  readPage: ReadPage,
  options: HistoryOptions,
): AsyncGenerator<PaidClaim, void, undefined> {
  let cursor: string | undefined;
  do {
    const { claims, nextCursor } = await readPage({ ...options, limit: PAGE, cursor });
    yield* claims;
    if (nextCursor !== undefined && (nextCursor === cursor || claims.length === 0)) {
      throw new InvalidResponseError("The pages of the claim history never end", 200, null);
    }
    cursor = nextCursor;
  } while (cursor !== undefined);
}

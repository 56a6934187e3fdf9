/**
 * Reads all in portions. @param read returns what comes after a row, or from the beginning; an empty portion is
 * the end
 */
export async function* portions<Row>(
  read: (after: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let last: Row | undefined; ; ) {
    const rows = await read(last);
    if (rows.length === 0) return;
    yield rows;
    last = rows.at(-1);
  }
}

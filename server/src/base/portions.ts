/** Yields all rows. @param read returns a portion after a row or from the start; none at the end */
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

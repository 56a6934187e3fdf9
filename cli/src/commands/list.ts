import type { Result } from "../desk.ts";
import { type ColumnOf, rowsOf } from "../table.ts";

interface Shown<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly ColumnOf<Row>[];
  readonly none: string;
  /** Whether a last row shows the sums of lamports. */
  readonly total?: boolean;
}

export function listed<Row>(data: object, { rows, columns, none, total }: Shown<Row>): Result {
  if (rows.length === 0) return { data, view: [none] };
  return { data, view: { table: rowsOf(rows, columns, { total }) } };
}

import { createHash } from "node:crypto";
import type { MovedRow } from "./moved-tables.ts";

/** Computes the checksum of a table from its rows in order. */
export class TableDigest {
  readonly #hash = createHash("sha256");
  #rows = 0;

  get rows(): number {
    return this.#rows;
  }

  add(row: MovedRow): void {
    // As JSON, so that a value cannot look like two. A text begins with another sign than numbers and bytes.
    this.#hash.update(`${JSON.stringify(row.map(canonical))}\n`);
    this.#rows++;
  }

  /** Ends the digest. @returns SHA-256 in hex */
  checksum(): string {
    return this.#hash.digest("hex");
  }
}

function canonical(value: MovedRow[number]): string | null {
  if (value === null) return null;
  if (typeof value === "string") return `'${value}`;
  if (typeof value === "bigint") return value.toString();
  return `x${Buffer.from(value).toString("hex")}`;
}

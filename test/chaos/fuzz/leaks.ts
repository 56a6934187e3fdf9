/** Paths, stacks, SQL and error texts of libraries, which no body may contain. */
const INSIDE: readonly RegExp[] = [
  /\/(?:work|tmp|home|root|usr|var|proc)\//,
  /node_modules|\$bunfs|file:\/\//,
  /\.[cm]?[jt]s:\d+/,
  /\bat (?:async )?[\w.<>#$]+ \(/,
  /\b(?:Type|Range|Reference|Syntax|SQLite|Drizzle\w*|Struct)Error\b/,
  /SQLITE_|\bconstraint failed\b|\bno such (?:table|column)\b|Failed query/i,
  /\b(?:select|delete)\b.+\bfrom\b|\binsert into\b|\bpragma \w+/i,
  /undefined is not|is not a function|is not an object|null is not|JSON Parse error/i,
];

/** @returns the first such piece of a text, or null */
export function insideShown(text: string): string | null {
  for (const pattern of INSIDE) {
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) return found;
  }
  return null;
}

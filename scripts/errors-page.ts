import { join } from "node:path";
import { errorCodes, type MayRepeat } from "@tokenctl/shared/error-codes";

const REPEAT: Readonly<Record<MayRepeat, string>> = {
  no: "no",
  yes: "yes",
  later: "later",
  idempotent: "if idempotent",
};

const INTRODUCTION = `# Errors

Every answer outside 2xx has a JSON body with \`error\`, a text for people, and \`code\`, a stable name for
programs. \`details\` names the fields of a request that are wrong, and \`message\` says more. Compare codes,
not texts. A newer server may have more codes than this table: treat an unknown one by its status.

*Again* says whether the same request may be sent again:

- **no**: it gets the same answer until something else changes.
- **yes**: it had no effect, or has none a second time. \`Retry-After\` says how many seconds to wait.
- **later**: it had no effect, and is refused until the operator's decision, or a limit of the day or hour, lets
  it pass. \`Retry-After\` says when, if that is known. The SDK does not wait for it.
- **if idempotent**: only if sending it twice does no more than sending it once, as with a read, a launch
  under its \`Idempotency-Key\` and both steps of a claim. What the request did is not known.

\`<…>\` in a text stands for what varies. The OpenAPI document (\`/openapi/json\`) lists the codes of each
endpoint. \`bun scripts/errors-page.ts\` writes this page from
[shared/src/error-codes.ts](../shared/src/error-codes.ts).
`;

/** @returns the text of `docs/errors.md` */
export function errorsPage(): string {
  const rows = Object.entries(errorCodes).map(([code, { status, text, meaning, next, repeat }]) =>
    row([`\`${code}\``, String(status), `\`${text}\``, meaning, next, REPEAT[repeat]]),
  );
  const head = ["code", "status", "error", "meaning", "what to do next", "again"];
  const table = [row(head), row(head.map(() => "---")), ...rows];
  return `${INTRODUCTION}\n${table.join("\n")}\n`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

if (import.meta.main) await Bun.write(join(import.meta.dir, "../docs/errors.md"), errorsPage());

import { STATUS_CODES } from "node:http";
import { join } from "node:path";
import { errorCodes, type MayRepeat } from "@tokenctl/shared/error-codes";

const REPEAT: Readonly<Record<MayRepeat, string>> = {
  no: "no",
  yes: "yes",
  later: "later",
  idempotent: "if idempotent",
};

const INTRODUCTION = `# Errors

Every error code of the server. [api.md](api.md#errors) says what an error's body holds. Compare codes, not texts:
\`<…>\` in a text stands for what varies. A newer server may have more codes than this page: treat an unknown one by its
status. The OpenAPI document (\`/openapi/json\`) lists the codes of each endpoint. \`bun scripts/errors-page.ts\` writes
this page from [shared/src/error-codes.ts](../shared/src/error-codes.ts).
`;

const AGAIN = `## May it be sent again

The column *again* says whether the same request may be sent again:

- **no**: it gets the same answer until something else changes.
- **yes**: it had no effect, or has none a second time. \`Retry-After\` says how many seconds to wait.
- **later**: it had no effect, and is refused until the operator's decision, or a limit of the day or hour, lets
  it pass. \`Retry-After\` says when, if that is known. The SDK does not wait for it.
- **if idempotent**: only if sending it twice does no more than sending it once, as with a read, a launch
  under its \`Idempotency-Key\` and both steps of a claim. What the request did is not known.
`;

const HEAD = ["code", "error", "meaning", "what to do next", "again"];

/** @returns the text of `docs/errors.md` */
export function errorsPage(): string {
  const byStatus = Map.groupBy(Object.entries(errorCodes), ([, { status }]) => status);
  const titles = Array.from(byStatus.keys(), (status) => `${status} ${STATUS_CODES[status]}`);
  const contents = ["May it be sent again", ...titles].map(
    (title) => `- [${title}](#${title.toLowerCase().replaceAll(" ", "-")})`,
  );
  const sections = Array.from(byStatus.values(), (entries, index) => {
    const rows = entries.map(([code, { text, meaning, next, repeat }]) =>
      row([`\`${code}\``, `\`${text}\``, meaning, next, REPEAT[repeat]]),
    );
    return `## ${titles[index]}\n\n${[row(HEAD), row(HEAD.map(() => "---")), ...rows].join("\n")}\n`;
  });
  return [INTRODUCTION, `## Contents\n\n${contents.join("\n")}\n`, AGAIN, ...sections].join("\n");
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

if (import.meta.main) await Bun.write(join(import.meta.dir, "../docs/errors.md"), errorsPage());

import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");

export interface Example {
  /** What it documents, for example `TokenctlClient.launch` or `README.md 1`. */
  readonly of: string;
  readonly code: string;
}

/**
 * What an example may use without declaring it. All else it imports or declares itself.
 */
const PREAMBLE = `
declare const client: import("@tokenctl/sdk").TokenctlClient;
/** The mint of one of the agent's tokens, base58. */
declare const mint: string;
declare const eventId: string;
declare const error: unknown;
/** 64 bytes. */
declare const secretKey: Uint8Array;
`;

const DOCSTRING =
  /\/\*\*((?:(?!\*\/).)*)\*\/\n(export | {2})(?:async )?(?:(?:function|class) |get )?(\w+)/gs;
const EXAMPLE = /@example\n(.*)/s;

/**
 * Finds the docstrings of a source file.
 *
 * @returns by the name of what each documents: `login` for a function, `.login` for a method
 */
export function docstrings(source: string): Map<string, string> {
  return new Map(
    Array.from(source.matchAll(DOCSTRING), ([, doc = "", place, name = ""]) => [
      place === "export " ? name : `.${name}`,
      doc.replace(/^ *\* ?/gm, ""),
    ]),
  );
}

/** @returns the code of a docstring's example, or null if it has none */
export function exampleIn(docstring: string | undefined): string | null {
  return EXAMPLE.exec(docstring ?? "")?.[1] ?? null;
}

/**
 * Compiles examples with strict settings, all in one run.
 *
 * @returns the examples that do not compile, with what the compiler says of each
 */
export async function compileExamples(examples: readonly Example[]): Promise<Map<string, string>> {
  // Below the repository's root, where the compiler finds the packages that examples import.
  const folder = await mkdtemp(join(root, "node_modules/.doc-examples-"));
  try {
    await Bun.write(join(folder, "preamble.d.ts"), PREAMBLE);
    const write = ({ code }: Example, index: number) =>
      Bun.write(join(folder, `${index}.ts`), `${code}\nexport {};\n`);
    await Promise.all(examples.map(write));
    const config = {
      extends: join(root, "tsconfig.json"),
      compilerOptions: { paths: { "@tokenctl/sdk": [join(root, "sdk/src/index.ts")] } },
      include: [join(folder, "*.ts")],
      exclude: [],
    };
    await Bun.write(join(folder, "tsconfig.json"), JSON.stringify(config));
    const tsc = Bun.spawn([join(root, "node_modules/.bin/tsc"), "--noEmit", "-p", folder], {
      cwd: folder,
      stdout: "pipe",
      stderr: "inherit",
    });
    const output = await new Response(tsc.stdout).text();
    if ((await tsc.exited) === 0) return new Map();
    return errorsByExample(output, examples);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function errorsByExample(output: string, examples: readonly Example[]): Map<string, string> {
  const errors = new Map<string, string>();
  for (const line of output.split("\n").filter((text) => text.trim() !== "")) {
    const index = /^(\d+)\.ts\(/.exec(line)?.[1];
    const of = (index === undefined ? undefined : examples[Number(index)]?.of) ?? "elsewhere";
    errors.set(of, `${errors.get(of) ?? ""}${line}\n`);
  }
  return errors;
}

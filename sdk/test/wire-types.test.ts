import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { declaredTypes } from "../../scripts/wire-types.ts";

const root = join(import.meta.dir, "../..");

test("the types that the package declares are those of the contract's schemas", async () => {
  const folder = await mkdtemp(join(tmpdir(), "wire-types-"));
  try {
    await Bun.write(join(folder, "declared.ts"), declaredTypes());
    const contract = await Bun.file(join(root, "shared/src/types.ts")).text();
    const names = Array.from(contract.matchAll(/^export type (\w+)/gm), ([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(40);
    const proofs = names.map((name) => `true as Same<declared.${name}, contract.${name}>,`);
    await Bun.write(
      join(folder, "same.ts"),
      `import type * as declared from "./declared.ts";
import type * as contract from ${JSON.stringify(join(root, "shared/src/types.ts"))};
type Same<A, B> = [A, B] extends [B, A] ? true : never;
export const proofs: true[] = [\n${proofs.join("\n")}\n];\n`,
    );
    await Bun.write(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: join(root, "tsconfig.json"),
        compilerOptions: { typeRoots: [join(root, "node_modules/@types")] },
        include: ["*.ts"],
      }),
    );
    const command = [join(root, "node_modules/.bin/tsc"), "-p", folder];
    const tsc = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" });
    expect(await tsc.stdout.text()).toBe("");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 300_000);

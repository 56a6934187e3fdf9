import { afterAll, afterEach, beforeAll, beforeEach, describe } from "bun:test";
import { DAY_MS, type Engine, START } from "./engine.ts";
import { addOtherWallet, type OtherWallet } from "./other-wallet.ts";
import { postgresEngine } from "./postgres-engine.ts";
import { sqliteEngine } from "./sqlite-engine.ts";
import { TestStore } from "./test-store.ts";

const engines: readonly Engine[] = [sqliteEngine, postgresEngine];

/**
 * Runs tests of the store on each engine. Each test has its own database with another wallet's
 * rows, which must not change: a statement that forgets its wallet or its id fails.
 */
export function describeStore(
  topic: string,
  define: (at: TestStore) => void,
  { isOtherPending = false }: { readonly isOtherPending?: boolean } = {},
): void {
  for (const engine of engines) {
    describe.skipIf(!engine.isHere)(`${topic}, on ${engine.name}`, () => {
      const at = new TestStore();
      let other: OtherWallet;
      beforeAll(() =>
        engine.start(async (database) => {
          at.database = database;
          await at.setTime(START - DAY_MS);
          other = await addOtherWallet(at, isOtherPending);
        }),
      );
      beforeEach(async () => {
        at.database = await engine.open();
      });
      afterEach(async () => {
        await other.expectUnchanged(at.database);
        await engine.close(at.database);
      });
      afterAll(() => engine.stop());
      define(at);
    });
  }
}

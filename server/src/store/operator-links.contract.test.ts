import { expect, test } from "bun:test";
import { linkHash } from "./operator.ts";
import { describeStore } from "./testing/contract.ts";

const CHANGE = { actor: "ops", action: "console-link", subject: "viewer", detail: null } as const;

describeStore("links to the operator's view", (at) => {
  const create = async (secret: string, mayControl = 0) => {
    const link = { secretHash: linkHash(secret), mayControl, expiresAt: at.now() + 1_000 };
    await at.store.operator.createLink(link, { ...CHANGE, reason: secret });
  };

  test("open once, at any server of the database, and are in the audit table", async () => {
    await create("secret", 1);
    const other = await at.database.openAnother();
    const stores = [at.store, other, at.store];
    const uses = await Promise.all(
      stores.map(({ operator }) => operator.useLink(linkHash("secret"))),
    );
    expect(uses.filter((use) => use !== null)).toEqual([{ mayControl: true }]);
    expect(await at.store.operator.audit(1)).toMatchObject([{ ...CHANGE, reason: "secret" }]);
    await create("viewer");
    expect(await other.operator.useLink(linkHash("viewer"))).toEqual({ mayControl: false });
  });

  test("are known by nothing but their secret, and only in time", async () => {
    await create("late");
    expect(await at.store.operator.useLink("late")).toBeNull();
    expect(await at.store.operator.useLink(linkHash("LATE"))).toBeNull();
    await at.advance(1_000);
    expect(await at.store.operator.useLink(linkHash("late"))).toBeNull();
  });
});

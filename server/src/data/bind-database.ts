import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import type { ChainBinding, ChainBindings } from "../store/chain-binding.ts";
import { acceptedChanges, type Owner, ownerProblem } from "./owner.ts";

/**
 * Binds the database to its owner at the first start, and compares at each later one. Nothing may be
 * deployed before. If several servers start at once, one binds and the others compare.
 *
 * @throws {Error} the database is bound to another owner, and the operator does not accept the change
 */
export async function bindDatabase(
  store: Pick<ChainBindings, "read" | "bind" | "change">,
  config: Config,
  owner: Owner,
  log: Logger,
): Promise<void> {
  const held = await store.read();
  if (held !== null) throwProblem(ownerProblem(config, held, owner));
  // Most starts write nothing.
  const bound =
    held !== null && !lacksConfig(held, owner)
      ? held
      : await store.bind({ ...owner, genesisHash: null });
  throwProblem(ownerProblem(config, bound, owner));
  const changed = acceptedChanges(bound, owner);
  if (Object.keys(changed).length === 0) return;
  await store.change(changed);
  if (changed.launchWallet) {
    log.warn({ from: bound.launchWallet, to: changed.launchWallet }, "launch wallet changed");
  }
  if (changed.dbcConfig) {
    log.warn({ from: bound.dbcConfig, to: changed.dbcConfig }, "DBC config changed");
  }
  if (changed.mintSecretFingerprint) log.warn("mint secret changed");
}

/** Whether the database has no config yet: it was moved from SQLite, which binds none. */
function lacksConfig(held: ChainBinding, owner: Owner): boolean {
  return held.dbcConfig === null && owner.dbcConfig !== null;
}

function throwProblem(problem: string | null): void {
  if (problem !== null) throw new Error(problem);
}

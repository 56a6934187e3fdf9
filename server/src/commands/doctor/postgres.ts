import type { Config } from "../../config/config.ts";
import { inspectPostgres, type PostgresState } from "../../store/postgres/inspect-database.ts";
import { attempt, type Finding, failure, messageOf, ok, warning } from "./finding.ts";
import { checkOwner, checkSecrets } from "./owner.ts";

const SUBJECT = "database";
/** How far the database's clock may differ from this machine's, in seconds. */
const MAX_SKEW_SECONDS = 30;
/** Two servers, and the one that replaces either while the other serves. */
const FEW_SERVERS = 3;

export async function* checkPostgres(config: Config, url: string): AsyncGenerator<Finding> {
  yield await attempt("secrets", () => checkSecrets(config));
  let state: PostgresState;
  try {
    state = await inspectPostgres(url);
  } catch (error) {
    yield failure(SUBJECT, messageOf(error));
    return;
  }
  yield checkVersion(state);
  yield checkDurability(state);
  yield checkClock(state);
  yield checkConnections(state);
  yield await attempt(SUBJECT, () => checkOwner(config, state.binding));
}

function checkVersion({ version, schema }: PostgresState): Finding {
  const text = `PostgreSQL ${version} takes writes`;
  if (schema.has > schema.known) {
    return failure(
      SUBJECT,
      `its tables have version ${schema.has}, and this program knows ${schema.known}: start the newer program`,
    );
  }
  if (schema.has === schema.known) return ok(SUBJECT, `${text}, tables of version ${schema.has}`);
  return ok(
    SUBJECT,
    schema.has === 0
      ? `${text}; the first start makes the tables`
      : `${text}; the next start brings its tables from version ${schema.has} to ${schema.known}`,
  );
}

function checkDurability(state: PostgresState): Finding {
  const { synchronousCommit, namesStandbys, standbys } = state;
  const setting = `synchronous_commit=${synchronousCommit}`;
  if (synchronousCommit === "off") {
    return failure(
      SUBJECT,
      `${setting}: an accepted launch may be on no disk yet; set it to on (alter database … set synchronous_commit = on)`,
    );
  }
  if (!namesStandbys || synchronousCommit === "local") {
    const why = namesStandbys ? setting : "synchronous_standby_names is empty";
    return warning(
      SUBJECT,
      `${why}: an accepted launch is on this database's disk alone, and lost with it; see docs/postgresql.md`,
    );
  }
  if (standbys === 0) {
    return warning(
      SUBJECT,
      `${setting}, and commits wait for a standby, but none is seen: if there is none, launches never finish; if this user may not see it, grant pg_monitor`,
    );
  }
  return ok(SUBJECT, `${setting}: an accepted launch is on a standby too (${standbys} connected)`);
}

function checkClock({ clockAheadMs }: PostgresState): Finding {
  const seconds = Math.round(Math.abs(clockAheadMs) / 1000);
  if (seconds <= MAX_SKEW_SECONDS) return ok(SUBJECT, "its clock agrees with this machine's");
  const side = clockAheadMs > 0 ? "ahead of" : "behind";
  return warning(
    SUBJECT,
    `its clock is ${seconds} s ${side} this machine's: days, leases and sign-ins run by the database's; set the wrong one by NTP`,
  );
}

function checkConnections({ maxConnections, poolSize }: PostgresState): Finding {
  const servers = Math.floor(maxConnections / poolSize);
  const text = `room for ${servers} servers of ${poolSize} connections each (${maxConnections} in all)`;
  if (servers >= FEW_SERVERS) return ok(SUBJECT, text);
  return warning(SUBJECT, `${text}: raise max_connections`);
}

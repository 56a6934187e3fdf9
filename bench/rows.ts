import type { Row } from "./harness/row.ts";
import { claims } from "./rows/claims.ts";
import { cost } from "./rows/cost.ts";
import { events } from "./rows/events.ts";
import { growth } from "./rows/growth.ts";
import { landing } from "./rows/landing.ts";
import { launch } from "./rows/launch.ts";
import { list } from "./rows/list.ts";
import { memory } from "./rows/memory.ts";
import { page } from "./rows/page.ts";
import { publicPages } from "./rows/public.ts";
import { servers } from "./rows/servers.ts";
import { signIn } from "./rows/sign-in.ts";
import { start } from "./rows/start.ts";
import { status } from "./rows/status.ts";
import { worker } from "./rows/worker.ts";
import { workers } from "./rows/workers.ts";

/** All rows, in the order in which they are measured and shown. */
export const rows: readonly Row[] = [
  status,
  signIn,
  launch,
  servers,
  list,
  claims,
  cost,
  worker,
  workers,
  landing,
  events,
  growth,
  memory,
  page,
  publicPages,
  start,
];

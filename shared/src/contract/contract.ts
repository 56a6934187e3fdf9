import type { TSchema } from "@sinclair/typebox";
import * as auth from "./auth.ts";
import * as claim from "./claim.ts";
import * as error from "./error.ts";
import * as event from "./event.ts";
import * as handOver from "./hand-over.ts";
import * as launch from "./launch.ts";
import * as launchCheck from "./launch-check.ts";
import * as launchStatus from "./launch-status.ts";
import * as market from "./market.ts";
import * as proof from "./proof.ts";
import * as sandbox from "./sandbox.ts";
import * as service from "./service.ts";
import * as token from "./token.ts";
import * as webhook from "./webhook.ts";

const nouns = [
  service,
  auth,
  launch,
  launchStatus,
  launchCheck,
  token,
  market,
  proof,
  claim,
  handOver,
  event,
  webhook,
];

/** The schemas of the contract by name: `TokenSchema` is `Token`. */
export const contract: ReadonlyMap<string, TSchema> = new Map(
  [...nouns, error, sandbox].flatMap((noun) =>
    Object.entries<object>(noun).flatMap(([name, schema]) =>
      name.endsWith("Schema") ? [[name.slice(0, -"Schema".length), schema as TSchema]] : [],
    ),
  ),
);

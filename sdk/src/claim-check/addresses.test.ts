import { expect, test } from "bun:test";
import * as ids from "@tokenctl/shared/programs/ids";
import * as own from "./addresses.ts";

test("the check and the table of programs name the same addresses", () => {
  expect({
    system: own.SYSTEM_PROGRAM,
    computeBudget: own.COMPUTE_BUDGET_PROGRAM,
    token: own.TOKEN_PROGRAM,
    token2022: own.TOKEN_2022_PROGRAM,
    associatedToken: own.ASSOCIATED_TOKEN_PROGRAM,
    curve: [own.DBC_PROGRAM, own.DBC_POOL_AUTHORITY, own.DBC_EVENT_AUTHORITY],
    liquidity: [own.DAMM_V2_PROGRAM, own.DAMM_V2_POOL_AUTHORITY, own.DAMM_V2_CONFIGS],
    metadata: own.METADATA_PROGRAM,
  }).toEqual({
    system: ids.SYSTEM,
    computeBudget: ids.COMPUTE_BUDGET,
    token: ids.TOKEN,
    token2022: ids.TOKEN_2022,
    associatedToken: ids.ASSOCIATED_TOKEN,
    curve: [ids.DBC, ids.DBC_POOL_AUTHORITY, ids.DBC_EVENT_AUTHORITY],
    liquidity: [ids.DAMM_V2, ids.DAMM_V2_POOL_AUTHORITY, ids.DAMM_V2_CONFIGS],
    metadata: ids.TOKEN_METADATA,
  });
});

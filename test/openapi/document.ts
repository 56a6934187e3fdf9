import { NO_SANDBOX, testApp } from "../../server/src/testing/test-app.ts";

/** @returns the OpenAPI document of a sandbox server, as it is served */
export async function servedDocument(): Promise<string> {
  using app = await testApp(NO_SANDBOX);
  const answer = await app.send("GET", "/openapi/json", { wallet: null });
  return await answer.text();
}

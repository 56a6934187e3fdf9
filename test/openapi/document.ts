import { testApp } from "../../server/src/testing/test-app.ts";

const unused = () => Promise.reject(new Error("unused"));
const sandbox = { airdrop: unused, trade: unused, graduate: unused, rpc: unused };

/** @returns the OpenAPI document of a sandbox server, as it is served */
export async function servedDocument(): Promise<string> {
  using app = await testApp(sandbox);
  const answer = await app.send("GET", "/openapi/json", { wallet: null });
  return await answer.text();
}

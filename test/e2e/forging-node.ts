import type { FetchLike } from "../../sdk/src/internal/http.ts";
import type { LocalChain } from "../../server/src/localnet/chain.ts";
import { createRpcHandler } from "../../server/src/localnet/rpc/handler.ts";

export const NODE = "http://node.invalid";
export const DOCUMENT = { name: "Agent Coin", symbol: "AGENT" };

export interface Account {
  owner: string;
  data: Buffer;
}

/** What a node or a document's server changes before it answers. */
export interface Forgery {
  readonly accounts?: Readonly<Record<string, (account: Account) => void>> | undefined;
  readonly finds?: (address: string) => boolean;
  readonly document?: () => Response;
}

interface RawAccount {
  owner: string;
  data: [string, string];
}

type Answer = { value: (RawAccount | null)[] };
type Found = { pubkey: string; account: RawAccount };

/**
 * A `fetch` that reaches a node of this chain at {@link NODE}, and at any other address the document.
 *
 * @param requests gets each request: the node's method, or `GET` and the URL
 */
export function forgingFetch(
  chain: LocalChain,
  { accounts = {}, finds = () => true, document }: Forgery,
  requests: string[] = [],
): FetchLike {
  const handle = createRpcHandler(chain);
  const change = (address: string, raw: RawAccount | null) => {
    const forge = accounts[address];
    if (!raw || !forge) return;
    const account = { owner: raw.owner, data: Buffer.from(raw.data[0], "base64") };
    forge(account);
    raw.owner = account.owner;
    raw.data = [account.data.toString("base64"), "base64"];
  };
  return async (url, init) => {
    if (!url.startsWith(NODE)) {
      requests.push(`GET ${url}`);
      return document?.() ?? Response.json(DOCUMENT);
    }
    const { method, params } = JSON.parse(String(init.body));
    requests.push(method);
    const response = await handle(new Request(url, init as RequestInit));
    const answer = (await response.json()) as { result: Answer & Found[] };
    if (method === "getMultipleAccounts") {
      for (const [index, raw] of answer.result.value.entries()) change(params[0][index], raw);
    }
    if (method === "getProgramAccounts") {
      const shown = answer.result.filter(({ pubkey }) => finds(pubkey));
      answer.result = shown as typeof answer.result;
      for (const { pubkey, account } of answer.result) change(pubkey, account);
    }
    return Response.json(answer);
  };
}

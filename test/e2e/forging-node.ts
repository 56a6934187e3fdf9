import type { FetchLike } from "../../sdk/src/internal/http.ts";
import type { LocalChain } from "../../server/src/localnet/chain.ts";
import { FaultyRpc } from "../../server/src/solana/testing/faulty-rpc.ts";

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
  const rpc = FaultyRpc.of(chain);
  const change = (address: string, raw: RawAccount | null) => {
    const forge = accounts[address];
    if (!raw || !forge) return;
    const account = { owner: raw.owner, data: Buffer.from(raw.data[0], "base64") };
    forge(account);
    raw.owner = account.owner;
    raw.data = [account.data.toString("base64"), "base64"];
  };
  rpc.rewrite("getMultipleAccounts", (answer, [addresses]) => {
    const { value } = answer.result as { value: (RawAccount | null)[] };
    for (const [index, raw] of value.entries()) change((addresses as string[])[index] ?? "", raw);
    return answer;
  });
  rpc.rewrite("getProgramAccounts", ({ result }) => {
    const shown = (result as Found[]).filter(({ pubkey }) => finds(pubkey));
    for (const { pubkey, account } of shown) change(pubkey, account);
    return { result: shown };
  });
  return async (url, init) => {
    const isOfNode = url.startsWith(NODE);
    requests.push(isOfNode ? JSON.parse(String(init.body)).method : `GET ${url}`);
    if (isOfNode) return rpc.fetch(url, init as RequestInit);
    return document?.() ?? Response.json(DOCUMENT);
  };
}

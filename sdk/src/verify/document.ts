import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { NAME_BYTES, onChainNameOf } from "@tokenctl/shared/token-name";
import { AbortError, InvalidResponseError } from "../errors.ts";
import { isLoopback } from "../internal/arguments.ts";
import { startDeadline } from "../internal/deadline.ts";
import { defaultFetch, type FetchLike, parseJson, readBody, toInit } from "../internal/http.ts";
import { type Finding, safe, unknown, wrong } from "./facts.ts";
import type { ChainMetadata } from "./mint-facts.ts";

const MOST_BYTES = 256 * 1024;
const MOST_REDIRECTS = 3;

interface Source {
  readonly fetch: FetchLike | undefined;
  /** For the document, redirects included. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Whether the node is on this machine, so that documents may be too. */
  readonly mayBeLocal: boolean;
  readonly mayRead: (documentUrl: string) => boolean;
}

/** Compares a token's metadata document with the chain; its hash is in hex, or null if not read. */
export async function checkDocument(
  metadata: ChainMetadata,
  source: Source,
): Promise<{ readonly fact: Finding; readonly sha256: string | null }> {
  const { uri } = metadata;
  const { mayBeLocal, mayRead } = source;
  const url = allowedUrl(uri, mayBeLocal);
  if (url === null || !mayRead(url.href)) {
    const why = url === null ? ", because it is not https" : "";
    return { fact: unknown("metadata", `${uri || "no address"}, not read${why}`), sha256: null };
  }
  const read = await fetchDocument(url, source);
  if (typeof read === "string") return { fact: wrong("metadata", `${uri}: ${read}`), sha256: null };
  const hash = bytesToHex(sha256(read));
  const { text, ...compared } = compare(metadata, parseJson(new TextDecoder().decode(read)));
  return { fact: { ...compared, text: `${uri}: ${text}; SHA-256 ${hash}` }, sha256: hash };
}

function compare(metadata: ChainMetadata, document: unknown): Finding {
  const { name, symbol } = Object(document) as { name?: unknown; symbol?: unknown };
  const isCut = typeof name === "string" && onChainNameOf({ name }) === metadata.name;
  if (symbol === metadata.symbol && (isCut || name === metadata.name)) {
    const cut = name === metadata.name ? "" : ` (cut to ${NAME_BYTES} bytes there)`;
    return safe("metadata", `its name${cut} and symbol are those on chain`);
  }
  const [own, chain] = [
    [name, symbol],
    [metadata.name, metadata.symbol],
  ].map((of) => JSON.stringify(of));
  return wrong("metadata", `its name and symbol are ${own}, on chain ${chain}`);
}

/** Returns null unless the URL is https, or `mayBeLocal` is true and it is http on this machine. */
function allowedUrl(uri: string, mayBeLocal: boolean): URL | null {
  if (!URL.canParse(uri)) return null;
  const url = new URL(uri);
  const isAllowed =
    url.protocol === "https:" || (url.protocol === "http:" && mayBeLocal && isLoopback(url));
  return isAllowed ? url : null;
}

/** Returns the bytes, or the reason why there are none. */
async function fetchDocument(first: URL, source: Source): Promise<Uint8Array | string> {
  const { fetch = defaultFetch, timeoutMs, signal, mayBeLocal, mayRead } = source;
  const deadline = startDeadline(timeoutMs, signal);
  try {
    let url = first;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      const request = { method: "GET", path: "", timeoutMs } as const;
      const response = await fetch(url.href, toInit(request, deadline.signal));
      const location = response.headers.get("location");
      if (response.status >= 200 && response.status < 300) {
        return await readBody(response, "the document", MOST_BYTES);
      }
      void response.body?.cancel().catch(() => {});
      if (response.status < 300 || response.status >= 400 || location === null) {
        return `its server answers ${response.status}`;
      }
      const next = URL.canParse(location, url.href) ? new URL(location, url.href).href : "";
      const allowed = allowedUrl(next, mayBeLocal);
      if (allowed === null) return "its server redirects to an address that is not https";
      if (!mayRead(allowed.href)) return "its server redirects to an address that may not be read";
      url = allowed;
    }
    return `its server redirects more than ${MOST_REDIRECTS} times`;
  } catch (cause) {
    if (signal?.aborted) throw new AbortError(signal.reason);
    if (cause instanceof InvalidResponseError) return cause.message;
    return deadline.isOver() ? `no answer within ${timeoutMs / 1000} s` : "it cannot be reached";
  } finally {
    deadline.end();
  }
}

import { createReadStream, readdirSync } from "node:fs";
import { join } from "node:path";
import { CarWriter } from "@ipld/car";
import { type ImportResult, importer } from "ipfs-unixfs-importer";
import { readAtMost } from "../base/read-at-most.ts";

type Put = Parameters<typeof importer>[1]["put"];

const MAX_ANSWER_BYTES = 65_536;

/** The upload's file name does not affect the CID. */
const BOUNDARY = "tokend-metadata";
const BEFORE = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="metadata.car"\r\nContent-Type: application/vnd.ipld.car\r\n\r\n`;

/**
 * Uploads a folder as a CAR to Kubo, or a service with its RPC (`/api/v0/dag/import`), which pins
 * it. Computes the CID first.
 * @param path the folder's place in the tree, such as `/` or `/tokens`
 * @returns the folder's CID
 * @throws {Error} the folder was not pinned, or under another CID
 */
export async function pinFolder(
  folder: string,
  { endpoint, token, path }: { endpoint: string; token: string | null; path: string },
): Promise<string> {
  const cid = await addBlocks(folder, path, async (each) => each);
  const { writer, out } = CarWriter.create([cid]);
  // Closes the writer in any case, so that the body ends.
  const adding = addBlocks(folder, path, async (each, bytes) => {
    await writer.put({ cid: each, bytes: bytes as Uint8Array });
    return each;
  }).finally(() => writer.close());
  async function* body() {
    yield Buffer.from(BEFORE);
    yield* out;
    await adding;
    yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
  }
  const url = new URL("/api/v0/dag/import?pin-roots=true", endpoint);
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    body: body() as unknown as NonNullable<RequestInit["body"]>,
    redirect: "error",
    decompress: false,
  }).catch((cause: Error & { readonly code?: string }) => {
    throw new Error(`${url.host} cannot be reached (${cause.code ?? cause.message})`, { cause });
  });
  const text = await readAtMost(MAX_ANSWER_BYTES, response.body);
  const isPinned = text?.includes(`"${cid}"`) && !/"PinErrorMsg":\s*"[^"]/.test(text);
  if (!response.ok || !isPinned) {
    throw new Error(`${url.host} did not pin ${cid} (HTTP ${response.status})`);
  }
  return String(cid);
}

async function addBlocks(folder: string, under: string, put: Put): Promise<ImportResult["cid"]> {
  function* files() {
    const paths = readdirSync(folder, { recursive: true, withFileTypes: true });
    for (const entry of paths.filter((one) => one.isFile())) {
      const path = join(entry.parentPath, entry.name);
      yield {
        path: join(under, path.slice(folder.length)).slice(1),
        content: createReadStream(path),
      };
    }
  }
  const options = { wrapWithDirectory: true, cidVersion: 1, rawLeaves: true } as const;
  let root: ImportResult | null = null;
  for await (const entry of importer(files(), { put }, options)) root = entry;
  if (root === null) throw new Error("there is nothing to pin");
  return root.cid;
}

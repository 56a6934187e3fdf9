import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { imageFile } from "../store/images.ts";
import type { Store } from "../store/store.ts";
import { metadataDocument } from "../store/tokens.ts";

const TOKENS_AT_ONCE = 1_000;

/** Writes files under the server's paths. Keeps existing images, named by hash, that a token shows. */
export async function exportMetadata(
  { tokens, images }: Pick<Store, "tokens" | "images">,
  folder: string,
) {
  const [documentFolder, imageFolder] = [join(folder, "metadata"), join(folder, "images")];
  for (const path of [documentFolder, imageFolder]) mkdirSync(path, { recursive: true });
  const old = new Set(readdirSync(imageFolder).filter((name) => /^[0-9a-f]{64}\.\w+$/.test(name)));
  const written = { documents: 0, images: 0 };
  for await (const portion of tokens.all(TOKENS_AT_ONCE)) {
    for (const { tokenMint, imageHash } of portion) {
      const row = await tokens.metadata(tokenMint);
      if (!row) throw new Error(`The token ${tokenMint} has no metadata`);
      write(fileIn(documentFolder, `${tokenMint}.json`), JSON.stringify(metadataDocument(row)));
      written.documents += 1;
      const image = imageHash === null ? null : await images.find(imageHash);
      if (!image || imageHash === null) continue;
      const name = imageFile(imageHash, image.mediaType);
      const path = fileIn(imageFolder, name);
      if (old.delete(name) || existsSync(path)) continue;
      write(path, image.bytes);
      written.images += 1;
    }
  }
  for (const name of old) rmSync(join(imageFolder, name));
  return written;
}

/** Checks the name, because it comes from a database that may not be our own. */
function fileIn(folder: string, name: string): string {
  if (basename(name) === name) return join(folder, name);
  throw new Error(`${name} cannot be the name of a file`);
}

function write(path: string, content: string | Uint8Array): void {
  const draft = `${path}.part`;
  writeFileSync(draft, content);
  renameSync(draft, path);
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readStorageConfig } from "../config/config.ts";
import { readSettings } from "../config/read-settings.ts";
import { exportMetadata } from "../data/export-metadata.ts";
import { openBesideServer } from "../data/open-beside.ts";

export async function metadataExport(folder: string): Promise<void> {
  const { documents, images } = await exportTo(folder);
  console.log(`In ${folder}: documents: ${documents}, new images: ${images}`);
}

/** `tokend metadata pin`: uploads what `export` writes. */
export async function metadataPin(endpoint: string): Promise<void> {
  const { PIN_TOKEN: token, METADATA_BASE_URL: base } = readSettings(process.env, [
    "PIN_TOKEN",
    "METADATA_BASE_URL",
  ]);
  const { pinFolder } = await import("../data/pin-folder.ts");
  const folder = mkdtempSync(join(tmpdir(), "tokend-metadata-"));
  try {
    const { documents, images } = await exportTo(folder);
    const { host, pathname: path, href } = new URL(base ?? "https://metadata.example");
    const cid = await pinFolder(folder, { endpoint, token, path });
    console.log(
      `Pinned ipfs://${cid}: documents: ${documents}, images: ${images}\n` +
        `METADATA_BASE_URL=${href} serves them once DNS has\n` +
        `  _dnslink.${host} TXT "dnslink=/ipfs/${cid}"\n` +
        "and that name leads to a gateway which serves names",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function exportTo(folder: string) {
  const store = await openBesideServer(readStorageConfig(process.env), true);
  try {
    return await exportMetadata(store, folder);
  } finally {
    await store.close();
  }
}

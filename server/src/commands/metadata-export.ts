import { readStorageConfig } from "../config/config.ts";
import { exportMetadata } from "../data/export-metadata.ts";
import { openForExport } from "../data/open-for-export.ts";

/**
 * `tokend metadata export FOLDER`: writes all metadata documents and images as static files. The server
 * may keep running.
 *
 * @throws {Error} if there is no database, another version wrote it, or a file cannot be written
 */
export async function metadataExport(folder: string): Promise<void> {
  const store = await openForExport(readStorageConfig(process.env));
  try {
    const { documents, images } = await exportMetadata(store, folder);
    console.log(`In ${folder}: documents: ${documents}, new images: ${images}`);
  } finally {
    await store.close();
  }
}

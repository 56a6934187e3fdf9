import { readStorageConfig } from "../config/config.ts";
import { exportMetadata } from "../data/export-metadata.ts";
import { openForExport } from "../data/open-for-export.ts";

export async function metadataExport(folder: string): Promise<void> {
  const store = await openForExport(readStorageConfig(process.env));
  try {
    const { documents, images } = await exportMetadata(store, folder);
    console.log(`In ${folder}: documents: ${documents}, new images: ${images}`);
  } finally {
    await store.close();
  }
}

import { limits } from "@tokenctl/shared/limits";
import { readPaced, validationError } from "../../http/body.ts";

export const FORM_BYTES = 4 * 1024;

/** An image of 2 MiB may take 69 s. */
const PACE = { graceMs: 5_000, bytesPerSecond: 32 * 1024 };

/**
 * Receives an upload: the body itself, or the one file of a form (`multipart/form-data`). What the
 * body is declared as does not matter otherwise: the content says what it is.
 */
export async function readUpload(
  request: Request,
  onBytes: (bytes: number) => void,
): Promise<Uint8Array> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(type)) {
    return readPaced(request, { ...PACE, maxBytes: limits.image.bytes, onBytes });
  }
  const bytes = await readPaced(request, {
    ...PACE,
    maxBytes: limits.image.bytes + FORM_BYTES,
    onBytes,
  });
  const [file, ...others] = await filesOf(bytes, type);
  if (file && others.length === 0) return file.bytes();
  throw validationError([{ field: "image", message: "must be the one file of the form" }]);
}

async function filesOf(body: Uint8Array, type: string): Promise<Blob[]> {
  try {
    const form = await new Response(body, { headers: { "content-type": type } }).formData();
    return Array.from(form.values()).flatMap((value) => (typeof value === "string" ? [] : [value]));
  } catch {
    throw validationError([{ field: "body", message: "is not a complete form" }]);
  }
}

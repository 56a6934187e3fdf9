import { Type } from "@sinclair/typebox";
import { UploadedImageSchema } from "@tokenctl/shared/contract/service";
import { limits } from "@tokenctl/shared/limits";
import type { Clock } from "../../base/clock.ts";
import { readPaced, validationError } from "../../http/body.ts";
import { endpoint } from "../../http/endpoint.ts";
import { IMAGE_SIZE } from "../../http/parameters.ts";
import { isKnown } from "../../http/served-file.ts";
import { FORM_BYTES, type ImageService } from "./service.ts";

const FILE = Type.String({ format: "binary" });
const UPLOAD = {
  "image/png": FILE,
  "image/jpeg": FILE,
  "image/webp": FILE,
  "image/gif": FILE,
  "multipart/form-data": Type.Object({ image: FILE }),
};

const IMAGE_HEADERS = {
  // The name is the hash of the content.
  "cache-control": "public, max-age=31536000, immutable",
  // If it is opened as a page, it may load and run nothing.
  "content-security-policy": "default-src 'none'; sandbox",
  // Wallets and explorers show it on their own pages.
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
} as const;

export function imageEndpoints(images: ImageService, clock: Clock) {
  return [
    endpoint({
      route: "GET /images/:file",
      auth: "none",
      id: "getImage",
      summary: "Read an image",
      description:
        "Returns the image as it was stored, or a smaller picture of it as WebP. Its content never changes.",
      params: {
        file: {
          description: "The SHA-256 of the image in hex, alone or with `.png`, `.jpg` or `.webp`",
          schema: { type: "string", pattern: "^[0-9a-f]{64}(\\.(png|jpg|webp))?$" },
        },
      },
      query: { size: IMAGE_SIZE },
      tag: "Images",
      answer: FILE,
      answerType: "image/*",
      hasEtag: true,
      errors: ["validation_failed", "image_not_found", "database_unavailable"],
      async handle({ request, params, query, set }) {
        const { etag, mediaType, bytes } = await images.read(params.file, query.size);
        Object.assign(set.headers, IMAGE_HEADERS, { etag });
        if (isKnown(request, etag)) return new Response(null, { status: 304 });
        return new Response(bytes, { headers: { "content-type": mediaType } });
      },
    }),
    endpoint({
      route: "POST /api/v1/images",
      id: "uploadImage",
      summary: "Upload an image for a launch",
      description:
        "Takes a PNG, JPEG, WebP or GIF of at most 2 MiB and 4096 × 4096 pixels, as the body or as the field `image` of a form. Its `url` is for the `imageUrl` of a launch; without a launch it is deleted after a day.",
      tag: "Images",
      takesAddress: true,
      upload: UPLOAD,
      answer: UploadedImageSchema,
      errors: [
        "validation_failed",
        "image_refused",
        "body_too_late",
        "body_too_large",
        "unsupported_content_encoding",
        "agent_image_limit",
        "share_used",
        "image_space_full",
        "uploads_busy",
      ],
      handle: ({ request, wallet, address }) =>
        images.upload(
          { wallet, address },
          (onBytes) => readUpload(request, onBytes, clock),
          request.signal,
        ),
    }),
  ];
}

/** An image of 2 MiB may take 69 s. */
const PACE = { graceMs: 5_000, bytesPerSecond: 32 * 1024 };

/** Returns the body, or the one file of a form, whatever type it declares. */
async function readUpload(
  request: Request,
  onBytes: (bytes: number) => void,
  clock: Clock,
): Promise<Uint8Array> {
  const type = request.headers.get("content-type") ?? "";
  const isForm = /^multipart\/form-data\s*;/i.test(type);
  const maxBytes = limits.image.bytes + (isForm ? FORM_BYTES : 0);
  const bytes = await readPaced(request, { ...PACE, maxBytes, onBytes }, clock);
  if (!isForm) return bytes;
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

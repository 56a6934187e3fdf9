import { Type } from "@sinclair/typebox";
import { UploadedImageSchema } from "@tokenctl/shared/contract/service";
import { limits } from "@tokenctl/shared/limits";
import type { Clock } from "../../base/clock.ts";
import { readPaced } from "../../http/body.ts";
import { endpoint } from "../../http/endpoint.ts";
import { IMAGE_SIZE } from "../../http/parameters.ts";
import { isKnown } from "../../http/served-file.ts";
import type { ImageService } from "./service.ts";

const FILE = Type.String({ format: "binary" });
const UPLOAD = { "image/png": FILE, "image/jpeg": FILE, "image/webp": FILE, "image/gif": FILE };

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
        "Returns the image as it was stored, or a smaller version of it as WebP. Its content never changes.",
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
      errors: [
        "validation_failed",
        "image_not_found",
        "too_many_requests",
        "share_used",
        "database_unavailable",
      ],
      takesAddress: true,
      async handle({ request, params, query, set, address }) {
        const { etag, mediaType, bytes } = await images.read(params.file, query.size, address);
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
        "Takes a PNG, JPEG, WebP or GIF of at most 2 MiB and 4096 × 4096 pixels as the body. Its `url` is for the `imageUrl` of a launch; without a launch it is deleted after a day.",
      tag: "Images",
      takesAddress: true,
      upload: UPLOAD,
      answer: UploadedImageSchema,
      errors: [
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
          (onBytes) => readPaced(request, { ...PACE, onBytes }, clock),
          request.signal,
        ),
    }),
  ];
}

/** An image of 2 MiB may take 69 s. */
const PACE = { graceMs: 5_000, bytesPerSecond: 32 * 1024, maxBytes: limits.image.bytes };

import { Type } from "@sinclair/typebox";
import { UploadedImageSchema } from "@tokenctl/shared/contract/service";
import { limits } from "@tokenctl/shared/limits";
import { readImageIn } from "../../image-file.ts";
import { toolsOf, WRITES } from "../tool.ts";

const tool = toolsOf("launch");

export const imageTools = [
  tool({
    name: "upload_image",
    title: "Upload an image",
    description:
      "Uploads an image from the folder that the owner allowed, for the imageUrl of a launch. The service keeps only its pixels. The same image always has the same URL.",
    hints: WRITES,
    needsFiles: true,
    input: {
      file: Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: `Its path in that folder: a PNG, JPEG, WebP or GIF of at most ${limits.image.bytes} bytes`,
        "x-rule": "must be the path of a file in the folder of --files",
      }),
    },
    output: UploadedImageSchema,
    async run({ client, guards }, { file }, { signal }) {
      const data = await client.uploadImage(await readImageIn(guards.filesDir ?? "", file), {
        signal,
      });
      return { text: `Uploaded: use ${data.url} as imageUrl.`, data };
    },
  }),
];

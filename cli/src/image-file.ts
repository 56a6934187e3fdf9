import { open } from "node:fs/promises";
import { limits } from "@tokenctl/shared/limits";
import { CliError } from "./errors.ts";
import { exitCodes } from "./exit.ts";

/** @throws {CliError} if it cannot be read, is no file, or is larger than a server takes */
export async function readImage(path: string): Promise<Uint8Array> {
  try {
    await using file = await open(path);
    const info = await file.stat();
    if (!info.isFile()) throw refusal(path, "is no file");
    if (info.size > limits.image.bytes) {
      throw refusal(path, `has ${info.size} bytes; it may have ${limits.image.bytes}`);
    }
    return await file.readFile();
  } catch (fault) {
    if (fault instanceof CliError) throw fault;
    throw refusal(path, `cannot be read (${(fault as NodeJS.ErrnoException).code ?? fault})`);
  }
}

function refusal(path: string, what: string): CliError {
  return new CliError("image_file", `The image ${path} ${what}`, {
    hint: "Give a PNG, JPEG, WebP or GIF of at most 2 MiB",
    exitCode: exitCodes.usage,
  });
}

import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { limits } from "@tokenctl/shared/limits";
import { CliError } from "./errors.ts";

/** With `O_NONBLOCK`, opening a named pipe does not block. */
const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

export function readImage(path: string): Promise<Uint8Array> {
  return read(path, async () => open(path, O_RDONLY | O_NONBLOCK));
}

/** Reads an image in a folder. Refuses a path that leaves it: by `..`, absolute or by a link. */
export function readImageIn(folder: string, path: string): Promise<Uint8Array> {
  return read(path, async () => {
    const root = await realpath(folder);
    const found = await realpath(resolve(root, path));
    const inside = relative(root, found);
    const isOutside = inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
    if (inside === "" || isOutside) throw refusal(path, "is not in the folder of --files");
    const file = await open(found, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    // A part of the path may have been replaced by a link between `realpath` and `open`.
    if ((await realpath(found)) === found) return file;
    await file.close();
    throw refusal(path, "is not in the folder of --files");
  });
}

async function read(path: string, opened: () => Promise<FileHandle>): Promise<Uint8Array> {
  try {
    await using file = await opened();
    const info = await file.stat();
    if (!info.isFile()) throw refusal(path, "is not a file");
    if (info.size > limits.image.bytes) {
      throw refusal(path, `has ${info.size} bytes, more than ${limits.image.bytes}`);
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
  });
}

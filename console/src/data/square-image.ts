import { limits } from "@tokenctl/shared/limits";

export interface ChosenImage {
  readonly bitmap: ImageBitmap;
  readonly type: string;
}

/** @throws {Error} if the browser cannot read the file as an image */
export async function readImage(file: Blob): Promise<ChosenImage> {
  try {
    return { bitmap: await createImageBitmap(file), type: file.type };
  } catch {
    throw new Error("This file is not an image that the browser can read");
  }
}

/**
 * Crops an image to a square of at most the size that the service stores.
 *
 * @param position of the square along the longer side, from 0 (start) to 1 (end)
 */
export async function squareOf({ bitmap, type }: ChosenImage, position: number): Promise<Blob> {
  const { width, height } = bitmap;
  const side = Math.min(width, height);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.min(side, limits.image.storedSide);
  const [left, top] = [(width - side) * position, (height - side) * position];
  canvas
    .getContext("2d")
    ?.drawImage(bitmap, left, top, side, side, 0, 0, canvas.width, canvas.height);
  const encode = async (as: string) => {
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, as, 0.9));
    if (blob) return blob;
    throw new Error("This image cannot be cropped");
  };
  const image = await encode(type === "image/jpeg" ? type : "image/png");
  return image.size <= limits.image.bytes ? image : encode("image/jpeg");
}

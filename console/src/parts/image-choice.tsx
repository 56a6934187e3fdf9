import { limits } from "@tokenctl/shared/limits";
import { useState } from "preact/hooks";

export function ImageChoice(props: {
  /** Receives the square that will be uploaded; null for none. */
  readonly onImage: (image: Blob | null) => void;
  readonly problem: string | undefined;
}) {
  const { onImage, problem } = props;
  const [isReadable, setIsReadable] = useState(true);
  const choose = async (file: File | undefined) => {
    const image = file ? await squareOf(file).catch(() => null) : null;
    setIsReadable(!file || image !== null);
    onImage(image);
  };
  const wrong = isReadable ? problem : "This file is not an image that the browser can read.";
  return (
    <div class="field">
      <label for="image">Image</label>
      <input
        id="image"
        type="file"
        accept="image/png,image/jpeg,image/webp,image/gif"
        aria-describedby="image-hint"
        aria-invalid={wrong !== undefined}
        onChange={(event) => void choose(event.currentTarget.files?.[0])}
      />
      <p class="hint" id="image-hint">
        PNG, JPEG, WebP or GIF, cut to a square. The place where a photo was taken is removed.
      </p>
      {wrong !== undefined && <p class="bad">{wrong}</p>}
    </div>
  );
}

/** Cuts out an image's middle as a square of at most the size that the service stores. */
async function squareOf(file: Blob): Promise<Blob | null> {
  const bitmap = await createImageBitmap(file);
  const { width, height } = bitmap;
  const side = Math.min(width, height);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.min(side, limits.image.storedSide);
  const [left, top] = [(width - side) / 2, (height - side) / 2];
  canvas
    .getContext("2d")
    ?.drawImage(bitmap, left, top, side, side, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/webp", 0.9));
}

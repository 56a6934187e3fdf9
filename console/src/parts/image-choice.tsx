import { limits } from "@tokenctl/shared/limits";

export function ImageChoice(props: {
  /** Receives the square that will be uploaded; null for none. Rejects if it cannot be read. */
  readonly onImage: (image: Promise<Blob | null> | null) => void;
  readonly problem: string | undefined;
}) {
  const { onImage, problem } = props;
  const choose = (file?: File) => onImage(file ? squareOf(file) : null);
  return (
    <div class="field">
      <label for="image">Image</label>
      <input
        id="image"
        type="file"
        accept="image/png,image/jpeg,image/webp,image/gif"
        aria-describedby="image-hint"
        aria-invalid={problem !== undefined}
        onChange={(event) => choose(event.currentTarget.files?.[0])}
      />
      <p class="hint" id="image-hint">
        PNG, JPEG, WebP or GIF, cut to a square. The place where a photo was taken is removed.
      </p>
      {problem !== undefined && <p class="bad">{problem}</p>}
    </div>
  );
}

/** Cuts out an image's middle as a square of at most the size that the service stores. */
async function squareOf(file: Blob): Promise<Blob | null> {
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new Error("This file is not an image that the browser can read");
  });
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

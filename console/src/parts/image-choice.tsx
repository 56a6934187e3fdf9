import { limits } from "@tokenctl/shared/limits";
import { useEffect, useState } from "preact/hooks";
import { inWords } from "./states.tsx";
import { Button, Icon } from "./ui.tsx";

/** Lets the person choose an image, by click or drop, and the part to use. */
export function ImageChoice(props: {
  /** Receives the square that will be uploaded. */
  readonly onImage: (image: Blob | null) => void;
  /** Why the service refused the image. */
  readonly problem: string | undefined;
}) {
  const { onImage, problem } = props;
  const [chosen, setChosen] = useState<ChosenImage | null>(null);
  const [position, setPosition] = useState(0.5);
  const [fault, setFault] = useState<unknown>(null);
  const [isOver, setIsOver] = useState(false);
  const isSquare = chosen?.bitmap.width === chosen?.bitmap.height;

  async function choose(file: File | undefined) {
    if (!file) return;
    setFault(null);
    setPosition(0.5);
    setChosen(await readImage(file).catch((error) => setFault(error) ?? null));
  }

  useEffect(() => {
    let isCurrent = true;
    if (chosen === null) onImage(null);
    else {
      squareOf(chosen, position).then(
        (image) => isCurrent && onImage(image),
        (error) => isCurrent && setFault(error),
      );
    }
    return () => {
      isCurrent = false;
    };
  }, [chosen, position]);

  const wrong = fault === null ? problem : inWords(fault).text;
  return (
    <div class="field">
      <label
        class={`drop ${isOver ? "over" : ""}`}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setIsOver(false);
          void choose(event.dataTransfer?.files[0]);
        }}
      >
        <Icon name="image" size={24} />
        <span>
          <strong>{chosen ? "Choose another image" : "Choose an image"}</strong> or drop it here
        </span>
        <input
          id="image"
          class="for-readers"
          type="file"
          accept="image/png,image/jpeg,image/webp,image/gif"
          aria-label="Image"
          aria-describedby="image-hint"
          aria-invalid={wrong !== undefined}
          onChange={(event) => {
            void choose(event.currentTarget.files?.[0]);
            // Clearing the value lets the person choose the same file again.
            event.currentTarget.value = "";
          }}
        />
      </label>
      {chosen && (
        <div class="line">
          {!isSquare && (
            <label class="crop">
              Crop
              <input
                type="range"
                min={0}
                max={1}
                step={0.01}
                value={position}
                onInput={(event) => setPosition(event.currentTarget.valueAsNumber)}
              />
            </label>
          )}
          <Button onClick={() => setChosen(null)}>Remove image</Button>
        </div>
      )}
      <p class="hint" id="image-hint">
        PNG, JPEG, WebP or GIF, shown as a square. The place where a photo was taken is removed.
      </p>
      {wrong !== undefined && <p class="bad">{wrong}</p>}
    </div>
  );
}

interface ChosenImage {
  readonly bitmap: ImageBitmap;
  readonly type: string;
}

/** @throws {Error} if the browser cannot read the file as an image */
async function readImage(file: Blob): Promise<ChosenImage> {
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
async function squareOf({ bitmap, type }: ChosenImage, position: number): Promise<Blob> {
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

import { limits } from "@tokenctl/shared/limits";
import { useEffect, useState } from "preact/hooks";
import { useSession } from "../data/session.ts";
import { Problem } from "./states.tsx";

interface Props {
  readonly onUrl: (url: string | null) => void;
}

/** Uploads an image for a launch, and shows it as it was chosen. */
export function ImageChoice({ onUrl }: Props) {
  const { client } = useSession();
  const [preview, setPreview] = useState<string | null>(null);
  const [state, setState] = useState<"none" | "uploading" | "uploaded">("none");
  const [error, setError] = useState<unknown>(null);
  useEffect(() => () => void (preview && URL.revokeObjectURL(preview)), [preview]);

  async function choose(file: File | undefined) {
    onUrl(null);
    setError(null);
    setPreview(file ? URL.createObjectURL(file) : null);
    setState(file ? "uploading" : "none");
    if (!file) return;
    try {
      const { url } = await client.uploadImage(file);
      onUrl(url);
      setState("uploaded");
    } catch (fault) {
      setError(fault);
      setState("none");
    }
  }

  return (
    <div class="field">
      <label for="image">Image</label>
      <div class="row">
        {preview && <img class="preview" src={preview} alt="Preview of your choice" />}
        <input
          id="image"
          type="file"
          accept="image/png,image/jpeg,image/webp,image/gif"
          aria-describedby="image-hint"
          onChange={(event) => void choose(event.currentTarget.files?.[0])}
        />
        <span role="status">
          {state === "uploading" && "Uploading …"}
          {state === "uploaded" && "Uploaded"}
        </span>
      </div>
      <p class="hint" id="image-hint">
        PNG, JPEG, WebP or GIF of at most {limits.image.bytes / 1024 / 1024} MiB. Its metadata, such
        as the place where a photo was taken, is removed.
      </p>
      {error !== null && <Problem error={error} />}
    </div>
  );
}

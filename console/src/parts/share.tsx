import { CopyButton, Outside } from "./format.tsx";
import { notice } from "./notices.tsx";
import { Button } from "./ui.tsx";

const SIDES = { width: 160, height: 160 };

export function Share({ path, ticker }: { readonly path: string; readonly ticker: string }) {
  const url = new URL(path, location.href).href;
  const [to, text] = [encodeURIComponent(url), encodeURIComponent(`${ticker}: `)];
  const embed = `<a href="${url}"><img src="${url}/card.png" width="600" alt="${ticker}"></a>`;
  const share = () =>
    navigator
      .share({ title: ticker, url })
      .catch((error: Error) => error.name === "AbortError" || notice("The browser cannot share"));
  return (
    <div class="line share">
      {"share" in navigator && <Button onClick={() => void share()}>Share</Button>}
      <CopyButton text={url} name="Copy link" />
      <Outside kind="button" href={`https://x.com/intent/post?text=${text}&url=${to}`}>
        Post on X
      </Outside>
      <Outside kind="button" href={`https://t.me/share/url?url=${to}&text=${text}`}>
        Telegram
      </Outside>
      <details>
        <summary>QR code, embed</summary>
        <img {...SIDES} src={`${path}/qr.svg`} alt={`QR code of ${url}`} loading="lazy" />
        <CopyButton text={embed} name="Copy HTML" />
      </details>
    </div>
  );
}

import { Copy } from "./format.tsx";

/** Words of a command, which a line's end divides only if a word alone is longer than a line. */
export function Words({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split(/( +)/)
        .map((word, index) =>
          index % 2 === 0 && word !== "" ? <span key={index}>{word}</span> : word,
        )}
    </>
  );
}

export function Code({ text, name }: { readonly text: string; readonly name: string }) {
  return (
    <div class="code">
      <pre>
        <code>
          {text.split("\n").map((line) => (
            <div key={line}>
              <Words text={line} />
            </div>
          ))}
        </code>
      </pre>
      <Copy text={text} name={name} />
    </div>
  );
}

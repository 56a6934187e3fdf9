import { Copy } from "./format.tsx";

/** Shows a command that wraps between words, and within a word only if it exceeds a line. */
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

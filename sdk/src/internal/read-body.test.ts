import { expect, test } from "bun:test";
import { InvalidResponseError } from "../errors.ts";
import { MAX_BODY_BYTES, readBody } from "./http.ts";

interface Outcome {
  chunksRead: number;
  givenUp: boolean;
  text?: string;
  code?: string;
  message?: string;
}

async function read(
  chunks: readonly Uint8Array[],
  headers: Record<string, string> = {},
): Promise<Outcome> {
  const state = { chunksRead: 0, givenUp: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[state.chunksRead++];
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
      cancel() {
        state.givenUp = true;
      },
    },
    { highWaterMark: 0 },
  );
  try {
    const bytes = await readBody({ status: 200, headers: new Headers(headers), body }, "GET /x");
    const text = new TextDecoder().decode(bytes);
    return { ...state, text };
  } catch (error) {
    if (!(error instanceof InvalidResponseError)) throw error;
    return { ...state, code: error.code, message: error.message };
  }
}

const mebibytes = (count: number) => Array<Uint8Array>(count).fill(new Uint8Array(1024 * 1024));

test("a body of 8 MiB is read, and one of a byte more is refused", async () => {
  const { text } = await read(mebibytes(8));
  expect(text?.length).toBe(MAX_BODY_BYTES);
  const more = await read([...mebibytes(8), new Uint8Array(1), ...mebibytes(100)]);
  expect(more).toEqual({
    chunksRead: 9,
    givenUp: true,
    code: "response_too_large",
    message: "The answer to GET /x is larger than 8 MiB and was not read to its end",
  });
});

test("a body that announces more than 8 MiB is not read", async () => {
  const length = String(MAX_BODY_BYTES + 1);
  expect(await read(mebibytes(1), { "content-length": length })).toMatchObject({
    chunksRead: 0,
    givenUp: true,
    code: "response_too_large",
  });
});

test("a compressed body is dropped before a byte of it is read", async () => {
  for (const encoding of ["br", "gzip", "GZIP", "deflate", "zstd", "identity, br", "unheard-of"]) {
    expect(await read(mebibytes(1), { "content-encoding": encoding })).toMatchObject({
      chunksRead: 0,
      givenUp: true,
      code: "response_encoded",
    });
  }
});

test("a body that comes byte by byte is read to its end", async () => {
  const text = "größer als 🐕 ".repeat(2_000);
  const bytes = [...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte));
  expect((await read(bytes)).text).toBe(text);
});

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createBrotliCompress, createGzip, constants as zlib } from "node:zlib";

/** Bytes that each compressed body inflates to: too many to stay unnoticed in memory. */
const INFLATED_MIB = 512;

/** The start of a health with a list, each of whose items is wrong. */
const START = '{"ok":true,"db":"connected","timestamp":"now","launchPayers":';

/** A child process that reads bounded answers stays below this, its runtime included. */
export const MAX_RSS_BYTES = 200 * 1024 * 1024;

export interface HostileServer extends AsyncDisposable {
  /** Stands before the kind of answer, for example `${url}/brotli` as `apiUrl`. */
  readonly url: string;
  /** Resolves when a client has given up an answer without an end. */
  readonly endlessGivenUp: Promise<void>;
}

/** A server whose every answer would fill the memory of a client that read it. */
export async function startHostileServer(): Promise<HostileServer> {
  const brotli = await compress(
    createBrotliCompress({
      params: { [zlib.BROTLI_PARAM_QUALITY]: 5, [zlib.BROTLI_PARAM_LGWIN]: 24 },
    }),
  );
  const gzip = await compress(createGzip());
  const givenUp = Promise.withResolvers<void>();
  const kinds: Record<string, (response: ServerResponse) => void> = {
    brotli: (response) => response.writeHead(200, { "content-encoding": "br" }).end(brotli),
    gzip: (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzip),
    "gzip-in-502": (response) => response.writeHead(502, { "content-encoding": "GZIP" }).end(gzip),
    items: (response) => response.writeHead(200).end(`${START}[${"0,".repeat(2_000_000)}0]}`),
    announced: (response) => {
      response.writeHead(200, { "content-length": 2 ** 31 }).write("{");
    },
    endless: (response) => {
      response.on("close", givenUp.resolve);
      response.writeHead(200, { "content-type": "application/json" });
      const chunk = Buffer.alloc(64 * 1024, "[");
      const write = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on("drain", write);
      write();
    },
  };
  const http = createServer((request, response) => {
    kinds[request.url?.split("/")[1] ?? ""]?.(response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    endlessGivenUp: givenUp.promise,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

export interface Measured {
  stdout: string;
  stderr: string;
  exitCode: number;
  /** Bytes. */
  maxRss: number;
}

export async function runMeasured(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Measured> {
  const measurer = fileURLToPath(import.meta.resolve("./runtime/measured.ts"));
  const child = Bun.spawn([process.execPath, measurer, ...command], {
    cwd,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdout: "pipe",
    stderr: "inherit",
  });
  return JSON.parse(await new Response(child.stdout).text());
}

/** The error code for each kind of answer, on a runtime whose `fetch` leaves a body compressed and on the others. */
export function refusals(leavesCompressed: boolean): Readonly<Record<string, string>> {
  const compressed = leavesCompressed ? "response_encoded" : "response_too_large";
  return {
    brotli: compressed,
    gzip: compressed,
    "gzip-in-502": compressed,
    items: "invalid_response",
    announced: "response_too_large",
    endless: "response_too_large",
  };
}

async function compress(stream: ReturnType<typeof createGzip>): Promise<Buffer> {
  const parts: Buffer[] = [];
  stream.on("data", (part: Buffer) => parts.push(part));
  const ended = new Promise((resolve) => stream.once("end", resolve));
  const mebibyte = Buffer.alloc(1024 * 1024, " ");
  for (let i = 0; i < INFLATED_MIB; i++) {
    if (!stream.write(mebibyte)) await new Promise((resolve) => stream.once("drain", resolve));
  }
  stream.end();
  await ended;
  return Buffer.concat(parts);
}

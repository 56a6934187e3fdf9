import { stripVTControlCharacters } from "node:util";
import { SHORT_LIVED } from "../../../test/support/processes.ts";

interface Screen {
  readonly raw: string;
  /** The lines of the screen without colours and cursor movements. */
  readonly lines: readonly string[];
  readonly exitCode: number;
}

export interface Terminal {
  text(): string;
  shows(text: string | RegExp): Promise<void>;
  type(keys: string): void;
  /** Waits until the process has ended. */
  end(): Promise<Screen>;
}

/** Starts a program in a pseudo-terminal of this width, in its home folder if it has one. */
export function openTerminal(
  command: readonly string[],
  columns: number,
  env: Readonly<Record<string, string | undefined>> = {},
): Terminal {
  let raw = "";
  const waiting = new Set<() => void>();
  const decoder = new TextDecoder();
  const child = Bun.spawn([...command], {
    ...(env.HOME !== undefined && { cwd: env.HOME }),
    env: { PATH: process.env.PATH, ...SHORT_LIVED, TERM: "xterm-256color", NO_COLOR: "1", ...env },
    terminal: {
      cols: columns,
      rows: 50,
      data: (_, data) => {
        raw += decoder.decode(data, { stream: true });
        for (const look of waiting) look();
      },
    },
  });
  const text = () => stripVTControlCharacters(raw);
  return {
    text,
    shows: (wanted) =>
      new Promise((resolve) => {
        const look = () => {
          const isShown =
            typeof wanted === "string" ? text().includes(wanted) : wanted.test(text());
          if (!isShown) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    type: (keys) => void child.terminal?.write(keys),
    async end() {
      const exitCode = await child.exited;
      return { raw, lines: text().split(/\r?\n/), exitCode };
    },
  };
}

/**
 * Limits for a process that may hang: 500 MB of memory and 20 s of CPU time. `tokenctl` needs a
 * fifth of that memory and less than a second.
 */
const LIMITS = "prlimit --data=500000000 --cpu=20";

/**
 * Returns a command for {@link openTerminal} that runs another one, under limits, in a terminal of
 * this width, which may be 0.
 */
export function atWidth(columns: number, commandLine: string): string[] {
  const limited = `stty cols ${columns}; tty; exec ${LIMITS} ${commandLine}`;
  return ["script", "-qec", limited, "/dev/null"];
}

export type Colour = "bold" | "dim" | "red" | "green" | "yellow";

export type Style = Record<Colour, (text: string) => string>;

export function createStyle(
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
): Style {
  const isColored = isTerminal && !env.NO_COLOR && env.TERM !== "dumb";
  const paint = (open: number, close: number) => (text: string) =>
    isColored ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
  };
}

/** Fails if a tracked text uses a word that plain English avoids. A line with `words-ok: REASON` is exempt. */
import { existsSync, readFileSync } from "node:fs";
import { $ } from "bun";

const PATHS = [".", ":!scripts/check-words.ts"];
const TEXT = /\.(ts|tsx|mts|mjs|md|css|html|py|lua|sql|yml|json|conf|service|toml|example)$/;
const WORDS = [
  "whoever",
  "nobody",
  "somebody",
  "wants(?!=)",
  "anew",
  "meanwhile",
  "so many",
  "for ever",
  "all the same",
  "in vain",
  "bec(?:ome|omes|ame) of",
  "of which",
];
/** A phrase may wrap from one line of a comment to the next. */
const BANNED = new RegExp(`\\b(?:${WORDS.join("|").replaceAll(" ", "[\\s*/#]+")})\\b`, "gi");

const files = (await $`git ls-files -- ${PATHS}`.text()).split("\n").filter((it) => TEXT.test(it));
const found = files.filter(existsSync).flatMap((file) => {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(BANNED)].flatMap(({ 0: words, index }) => {
    const before = text.slice(0, index).split("\n");
    const line = text.split("\n")[before.length - 1] ?? "";
    return line.includes("words-ok: ") ? [] : [`${file}:${before.length}: ${words}`];
  });
});
if (found.length > 0) {
  console.error(`Say it in plain English:\n${found.join("\n")}`);
  process.exit(1);
}

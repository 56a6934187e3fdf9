import type { Desk, Result } from "../desk.ts";
import bash from "./completion.bash" with { type: "text" };
import fish from "./completion.fish" with { type: "text" };
import zsh from "./completion.zsh" with { type: "text" };

// Each script passes the words to `tokenctl complete` unchanged and evaluates none of them.
const SCRIPTS = { bash, zsh, fish };

/** Prints only the script, even with `--json`: a shell reads it. */
export async function completion(
  _desk: Desk,
  { shell }: { shell: keyof typeof SCRIPTS },
): Promise<Result> {
  return { data: {}, view: { raw: SCRIPTS[shell] } };
}

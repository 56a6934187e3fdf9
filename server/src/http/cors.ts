import { Elysia } from "elysia";
import { corsAnswers } from "./cors-headers.ts";

/**
 * Adds the headers of {@link corsAnswers}, and answers preflights. Elysia's own plugin adds an OPTIONS
 * route for every path, by which every unknown path would be answered 405.
 */
export function corsPlugin(origins: readonly string[]) {
  const plugin = new Elysia({ name: "cors" });
  if (origins.length === 0) return plugin;
  const answerOf = corsAnswers(origins);
  return plugin.onRequest(({ request, set }) => {
    const { headers, isPreflight } = answerOf(request);
    Object.assign(set.headers, headers);
    return isPreflight ? new Response(null, { status: 204 }) : undefined;
  });
}

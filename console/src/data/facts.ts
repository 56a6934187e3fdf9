import type { PageFacts } from "@tokenctl/shared/page-facts";

/** Facts that the server embeds in the page. */
export const pageFacts: PageFacts = JSON.parse(
  globalThis.document?.getElementById("facts")?.textContent ??
    '{"brand":{"name":"tokend","pages":[]}}',
);

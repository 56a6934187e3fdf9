import type { PageFacts } from "@tokenctl/shared/page-facts";

/** What the server has put into the page. */
export const pageFacts: PageFacts = JSON.parse(
  globalThis.document?.getElementById("facts")?.textContent ??
    '{"brand":{"name":"tokend","pages":[]}}',
);

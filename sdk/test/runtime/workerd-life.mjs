// A Cloudflare Worker that lives a token's life with the API's URL and the ticker of its query.
import { live } from "./web-life.mjs";

export default {
  async fetch(request) {
    const { searchParams } = new URL(request.url);
    try {
      return Response.json(await live(searchParams.get("apiUrl"), searchParams.get("ticker")));
    } catch (error) {
      return new Response(`${error.stack}\n${error.cause?.stack}`, { status: 500 });
    }
  },
};

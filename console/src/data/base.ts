/** The service's URL with a trailing slash: the parent of the scripts' folder, behind any proxy. */
export const BASE = new URL("..", import.meta.url);

/** The service's URL without the slash, for the client, which adds paths. */
export const API_URL = BASE.href.replace(/\/$/, "");

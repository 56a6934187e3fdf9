/** The service's address, with a slash at its end: its scripts are in a folder under it, whatever a proxy puts before. */
export const BASE = new URL("..", import.meta.url);

/** The same for the client, which adds paths. */
export const API_URL = BASE.href.replace(/\/$/, "");

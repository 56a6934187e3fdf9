/** The least server there can be. Environment: PORT. */
Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT),
  fetch: () => Response.json({ ok: true }),
});

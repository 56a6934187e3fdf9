/** A trade that the sandbox's market cannot make; the message says why and is fit for anyone. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  readonly code = "sandbox_refused";
}

/** A command of the operator that cannot be carried out; `message` says why. */
export class AdminError extends Error {
  override readonly name = "AdminError";
  readonly status: 400 | 404 | 409;

  constructor(status: 400 | 404 | 409, message: string) {
    super(message);
    this.status = status;
  }
}

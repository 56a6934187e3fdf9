/** What one server works on for a while, as the database knows it. */
export interface LeaseTerms {
  /** Of the server's hold. */
  readonly id: string;
  /** How long it holds unless it is renewed, in milliseconds. */
  readonly ms: number;
}

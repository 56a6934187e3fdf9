/** What a client requires of an answer, in a subset of JSON Schema. Without a type, any passes. */
export interface LenientSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, LenientSchema>>;
  readonly required?: readonly string[];
  readonly items?: LenientSchema;
}

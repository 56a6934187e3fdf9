import { Kind, Type, TypeRegistry } from "@sinclair/typebox";
import { limits } from "../limits.ts";
import { isOnChainName, isTokenName } from "../token-name.ts";
import { TRANSACTION_VERSIONS, type TransactionVersion } from "../words.ts";
import * as t from "./values.ts";

/** JSON Schema counts code points, so these are custom kinds. `x-rule` is the text in `details`. */
interface TextOptions {
  readonly minLength?: number;
  readonly maxLength: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly description: string;
  readonly examples: readonly string[];
  readonly "x-rule": string;
  /** The schemes of a URL. Without them it is a link that people open, with http or https. */
  readonly "x-schemes"?: readonly string[];
  /** The allowed hosts of a link, which then must use https. */
  readonly "x-hosts"?: readonly string[];
}

const kinds = {
  Text: () => true,
  TokenName: isTokenName,
  OnChainName: isOnChainName,
  Link: isUrl,
} as const satisfies Readonly<Record<string, (value: string, options: TextOptions) => boolean>>;

for (const [kind, isOfKind] of Object.entries(kinds)) {
  TypeRegistry.Set<TextOptions>(
    kind,
    (options, value) => isText(options, value) && isOfKind(value, options),
  );
}

type Text = TextOptions & { readonly kind?: keyof typeof kinds };

export function requestText({ kind = "Text", ...options }: Text) {
  return Type.Unsafe<string>({ [Kind]: kind, type: "string", ...options });
}

export const optionalText = (options: Text) => t.optional(requestText(options));

export const signedTransaction = optionalText({
  minLength: 1,
  maxLength: limits.transaction.base64,
  description: "The transaction of step 1, signed by the agent, base64",
  examples: ["Ac0sWAj0nTnXqgEAAQMEBQYHCAkKCw=="],
  "x-rule": "must be a base64 transaction of at most 1232 bytes",
});

export const transactionVersion = t.optional(
  Type.Unsafe<TransactionVersion>(
    Type.Union(
      TRANSACTION_VERSIONS.map((version) => Type.Literal(version)),
      {
        description: "The version of the transaction in step 1; legacy by default",
        examples: [1],
        "x-rule": 'must be "legacy" or 1',
      },
    ),
  ),
);

export function link(options: Omit<Text, "maxLength">) {
  return optionalText({ kind: "Link", maxLength: limits.link.max, format: "uri", ...options });
}

/** UTF-8 cannot encode a lone surrogate, and PostgreSQL cannot store U+0000. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

function isText(options: TextOptions, value: unknown): value is string {
  // n characters take n to 2n UTF-16 units, so a longer text need not be counted.
  if (typeof value !== "string" || value.length > 2 * options.maxLength) return false;
  if (!isStorable(value)) return false;
  const length = [...value].length;
  if (length < (options.minLength ?? 0) || length > options.maxLength) return false;
  return options.pattern === undefined || new RegExp(options.pattern).test(value);
}

/** The URL code points of https://url.spec.whatwg.org. None ends an HTML attribute or tag. */
const URL_TEXT =
  /^[a-z]+:\/\/(?:[\w!$&'()*+,./:;=?@~#%[\]-]|(?![\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Z}\p{Co}\p{Cn}\ufff9-\ufffc])[\u{a0}-\u{10fffd}])+$/iu;

/**
 * Accepts only URLs that need no repair by the URL parser, because the text itself is stored and
 * shown. People open links: a user name could pass for a host, so links have none, and a page of a
 * known host has a path.
 */
function isUrl(value: string, { "x-schemes": schemes, "x-hosts": hosts }: TextOptions): boolean {
  if (!URL_TEXT.test(value) || !URL.canParse(value)) return false;
  const { protocol, hostname, port, pathname, username, password } = new URL(value);
  if (schemes) return schemes.includes(protocol);
  const [host = ""] = value.replace(/^https?:\/\//i, "").split(/[/?#]/, 1);
  if (!/^https?:$/.test(protocol) || username + password !== "" || mixesScripts(host)) return false;
  if (hosts === undefined) return true;
  const known = hosts.includes(hostname.replace(/^www\./, ""));
  return protocol === "https:" && port === "" && pathname !== "/" && known;
}

/** Detects labels where a letter of another script could pass for a Latin one. */
function mixesScripts(host: string): boolean {
  return host
    .split(".")
    .some((label) => /\p{sc=Latin}/u.test(label) && /(?!\p{sc=Latin})\p{L}/u.test(label));
}

import { createHmac, generateKeyPairSync } from "node:crypto";
import { TOKEN_LIFETIME_SECONDS } from "@tokenctl/shared/limits";

type Claims = Record<string, unknown>;

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Writes a JWT that a library may refuse to write. */
function write(
  header: object,
  claims: Claims,
  sign: (input: string) => Buffer | "" = () => "",
): string {
  const input = `${base64url(header)}.${base64url(claims)}`;
  const signature = sign(input);
  return `${input}.${signature === "" ? "" : signature.toString("base64url")}`;
}

const hmac = (algorithm: string, key: string | Buffer) => (input: string) =>
  createHmac(algorithm, key).update(input).digest();

/**
 * Bearer tokens that the server must refuse, by what is wrong with each.
 *
 * @param secret the secret with which the server signs, which most of these need
 * @param now milliseconds since the Unix epoch
 * @param keyServer a URL from which the server must fetch no key
 */
export function forgedTokens(
  secret: string,
  wallet: string,
  now: number,
  keyServer: string,
): Record<string, string> {
  const iat = Math.floor(now / 1000);
  const good: Claims = {
    sub: wallet,
    iss: "tokend",
    aud: "tokend-api",
    jti: "attacker",
    iat,
    exp: iat + TOKEN_LIFETIME_SECONDS,
  };
  const without = (name: string) =>
    Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));
  const header = { alg: "HS256", typ: "JWT" };
  const withSecret = hmac("sha256", secret);
  const attackersSecret = "a secret of the attacker, and long enough";
  const [, payload, signature] = write(header, good, withSecret).split(".");
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const rsaPublic = rsa.publicKey.export({ type: "spki", format: "pem" });
  const jwk = { kty: "oct", k: Buffer.from(attackersSecret).toString("base64url") };
  const keyed = (extra: object) =>
    write({ ...header, ...extra }, good, hmac("sha256", attackersSecret));
  return {
    "alg none": write({ alg: "none", typ: "JWT" }, good),
    "alg None": write({ alg: "None", typ: "JWT" }, good),
    "alg none with a signature": write({ alg: "none" }, good, withSecret),
    "no alg": write({ typ: "JWT" }, good, withSecret),
    "alg hs256": write({ alg: "hs256" }, good, withSecret),
    HS384: write({ alg: "HS384" }, good, hmac("sha384", secret)),
    HS512: write({ alg: "HS512" }, good, hmac("sha512", secret)),
    "HS256 said, HS512 done": write(header, good, hmac("sha512", secret)),
    "RS256 said, the secret's HMAC": write({ alg: "RS256" }, good, withSecret),
    "HS256 under a public RSA key": write(header, good, hmac("sha256", String(rsaPublic))),
    "EdDSA said": write({ alg: "EdDSA" }, good, withSecret),
    "another secret": write(header, good, hmac("sha256", attackersSecret)),
    "an empty secret": write(header, good, hmac("sha256", "")),
    "a changed payload": `${base64url(header)}.${base64url({ ...good, sub: attackersSecret })}.${signature}`,
    "a changed header": `${base64url({ ...header, kid: "1" })}.${payload}.${signature}`,
    "no signature": `${base64url(header)}.${payload}.`,
    "two parts": `${base64url(header)}.${payload}`,
    "a signature cut short": write(header, good, (input) => withSecret(input).subarray(0, 16)),
    "no exp": write(header, without("exp"), withSecret),
    "exp as text": write(header, { ...good, exp: "9999999999" }, withSecret),
    "exp far away": write(header, { ...good, exp: iat + 10 * 365 * 86_400 }, withSecret),
    "exp of 1e300": write(header, { ...good, exp: 1e300 }, withSecret),
    expired: write(header, { ...good, iat: iat - 901, exp: iat - 1 }, withSecret),
    "not valid yet": write(header, { ...good, nbf: iat + 60 }, withSecret),
    "no sub": write(header, without("sub"), withSecret),
    "sub as a list": write(header, { ...good, sub: [wallet] }, withSecret),
    "another issuer": write(header, { ...good, iss: "other" }, withSecret),
    "another audience": write(header, { ...good, aud: "other" }, withSecret),
    "an unknown crit": write({ ...header, crit: ["x"], x: 1 }, good, withSecret),
    "kid of a file that is empty": write(
      { ...header, kid: "../../../../dev/null" },
      good,
      hmac("sha256", ""),
    ),
    "kid of an injection": keyed({ kid: `' union select '${attackersSecret}` }),
    "a key of its own": keyed({ jwk }),
    "a key to be fetched": keyed({ jku: `${keyServer}/jwks.json`, kid: "1" }),
    "a certificate to be fetched": keyed({ x5u: `${keyServer}/cert.pem` }),
  };
}

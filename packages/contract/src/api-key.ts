import { createHash, randomBytes } from "node:crypto";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const secretLength = 43; // 62^43 > 2^256, so 43 characters hold 256 bits.
const checksumLength = 6;
const displayLength = 6;

/** A new API key. `key` is shown once; only `sha256` (32 bytes) and `display` (the first characters) are stored. */
export type NewApiKey = { key: string; sha256: Buffer; display: string };

/**
 * Creates an API key: `<prefix>_live_`, 256 random bits in base62 and a checksum of 6 characters
 * (specification, "Authentication"; docs/decisions/0001, "Dashboard and accounts").
 *
 * @example
 * createApiKey("v2j").key; // "v2j_live_" and 49 letters and digits
 */
export function createApiKey(prefix: string): NewApiKey {
  const secret = base62(BigInt(`0x${randomBytes(32).toString("hex")}`), secretLength);
  const body = `${prefix}_live_${secret}`;
  const key = body + checksum(body);
  return { key, sha256: hashApiKey(key), display: body.slice(0, `${prefix}_live_`.length + displayLength) };
}

/** Returns whether a text has the form and the checksum of a key with this prefix. It does not look the key up. */
export function isApiKey(text: string, prefix: string): boolean {
  const start = `${prefix}_live_`;
  if (!text.startsWith(start) || text.length !== start.length + secretLength + checksumLength) return false;
  const body = text.slice(0, -checksumLength);
  if (!/^[0-9A-Za-z]+$/.test(body.slice(start.length))) return false;
  return checksum(body) === text.slice(-checksumLength);
}

/** Returns the SHA-256 (32 bytes) by which a key is stored and found. */
export function hashApiKey(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

function checksum(body: string): string {
  const digest = createHash("sha256").update(`checksum:${body}`).digest();
  return base62(BigInt(digest.readUIntBE(0, 6)) % 62n ** BigInt(checksumLength), checksumLength);
}

function base62(value: bigint, length: number): string {
  let rest = value;
  let text = "";
  for (let i = 0; i < length; i++) {
    text = alphabet[Number(rest % 62n)] + text;
    rest /= 62n;
  }
  return text;
}

/** What an API key may do. `extract` includes reading; with `read` a key changes nothing and costs nothing. */
export const keyScopes = ["extract", "read"] as const;

export type KeyScope = (typeof keyScopes)[number];

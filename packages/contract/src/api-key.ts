import { createHash, randomBytes } from "node:crypto";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const secretLength = 43; // 62^43 > 2^256
const checksumLength = 6;
const shownLength = 6;

/** A new key: shown once, stored only as `sha256` (32 bytes) and `display` (its first characters). */
export type NewApiKey = { key: string; sha256: Buffer; display: string };

/**
 * Makes a key `<prefix>_live_` + 256 random bits in base62 + a 6-character checksum
 * (specification, "Authentication"; docs/decisions/0001, "Dashboard and accounts").
 */
export function createApiKey(prefix: string): NewApiKey {
  const secret = base62(BigInt(`0x${randomBytes(32).toString("hex")}`), secretLength);
  const body = `${prefix}_live_${secret}`;
  const key = body + checksum(body);
  return { key, sha256: hashApiKey(key), display: body.slice(0, `${prefix}_live_`.length + shownLength) };
}

/** Whether a text is a key of this prefix with a right checksum; a mistyped key is refused without a look-up. */
export function isApiKey(text: string, prefix: string): boolean {
  const start = `${prefix}_live_`;
  if (!text.startsWith(start) || text.length !== start.length + secretLength + checksumLength) return false;
  const body = text.slice(0, -checksumLength);
  if (!/^[0-9A-Za-z]+$/.test(body.slice(start.length))) return false;
  return checksum(body) === text.slice(-checksumLength);
}

/** The SHA-256 (32 bytes) under which a key is stored and looked up. */
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

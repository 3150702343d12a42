import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";

/** How a connection is encrypted; undefined to let the driver decide by the address. */
type Encryption = "require" | "prefer" | "allow" | false | ConnectionOptions;

/** The parameters of an address that set its encryption. libpq reads them, and providers show addresses with them. */
const read = ["sslmode", "sslrootcert", "sslcert", "sslkey", "channel_binding"] as const;

/**
 * Reads what an address of PostgreSQL says about encryption, as libpq does. `sslrootcert` is the path of a file of
 * certificates, or `system`. This driver cannot bind a channel, so `channel_binding=require` checks the certificate instead:
 * both detect another server in between.
 *
 * @returns the address without these parameters, and how to encrypt.
 * @throws Error with what to correct; never with the address, which may hold a password.
 */
export function readAddress(address: string): { url: string; ssl: Encryption | undefined } {
  const url = new URL(address);
  const given = Object.fromEntries(read.map((name) => [name, url.searchParams.get(name)]));
  for (const name of read) url.searchParams.delete(name);
  const other = [...url.searchParams.keys()].find((name) => /^(ssl|gss|krb)/.test(name) && name !== "sslnegotiation");
  if (other) throw new Error(`The address of PostgreSQL has ${other}, which this service does not support.`);
  return { url: url.href, ssl: encryptionOf(given, url.hostname.replace(/^\[|\]$/g, "")) };
}

function encryptionOf(
  given: Readonly<Record<string, string | null | undefined>>,
  host: string,
): Encryption | undefined {
  const { sslmode, sslrootcert, sslcert, sslkey, channel_binding } = given;
  const ca = sslrootcert && sslrootcert !== "system" ? readCertificate("sslrootcert", sslrootcert) : undefined;
  const own = {
    // Without it, Node compares the certificate of a server that has an IP address with "localhost".
    host,
    ...(ca && { ca }),
    ...(sslcert && { cert: readCertificate("sslcert", sslcert) }),
    ...(sslkey && { key: readCertificate("sslkey", sslkey) }),
  };
  const isVerified = sslrootcert === "system" || channel_binding === "require";
  switch (sslmode) {
    case "disable":
      return false;
    case "verify-full":
      return own;
    case "verify-ca":
      return isVerified ? own : { ...own, checkServerIdentity: () => undefined };
    case "require":
      if (isVerified) return own;
      // libpq treats it as verify-ca where there is a certificate to check with.
      return ca ? { ...own, checkServerIdentity: () => undefined } : { ...own, rejectUnauthorized: false };
    case "prefer":
    case "allow":
      return sslmode;
    case null:
    case undefined:
      return isVerified || ca ? own : undefined;
    default:
      throw new Error(
        `The address of PostgreSQL has sslmode=${sslmode}, which is not disable, allow, prefer, require, verify-ca or verify-full.`,
      );
  }
}

function readCertificate(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Error(`The file that ${name} names cannot be read: ${path}.`, { cause });
  }
}

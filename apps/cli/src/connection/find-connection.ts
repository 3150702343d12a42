import { CommandError } from "../exit/command-error.ts";
import type { Io } from "../io.ts";
import { credentialsPath, readCredentials } from "./credentials-file.ts";

/** The options that the SDK needs for a client. */
type Connection = { baseUrl: string; apiKey: string };

/**
 * Returns the address and the key to use: from `--url`, then from the environment, then from the saved login. A saved
 * key is only used for the address that it was saved with. Throws unauthorised without a key, and wrong_usage without
 * an address.
 */
export async function findConnection(
  io: Pick<Io, "env" | "platform" | "home">,
  { url }: { url?: string | undefined },
): Promise<Connection> {
  const { env } = io;
  const envKey = env.VIDEO_TO_JSON_API_KEY?.trim();
  const givenUrl = url ?? (env.VIDEO_TO_JSON_URL?.trim() || undefined);
  const saved = envKey && givenUrl ? undefined : await readCredentials(credentialsPath(io));
  const address = givenUrl ?? saved?.url;
  if (!envKey && !saved) {
    throw new CommandError(
      "unauthorised",
      "There is no API key. Run `video-to-json login`, or set VIDEO_TO_JSON_API_KEY.",
    );
  }
  if (address === undefined) {
    throw new CommandError(
      "wrong_usage",
      "There is no address. Give --url, set VIDEO_TO_JSON_URL, or run `video-to-json login`.",
    );
  }
  const baseUrl = validateAddress(address);
  if (envKey) return { baseUrl, apiKey: validateKey(envKey) };
  if (!saved || new URL(baseUrl).origin !== new URL(validateAddress(saved.url)).origin) {
    throw new CommandError(
      "unauthorised",
      `The saved key belongs to ${saved?.url}. Run \`video-to-json login --url ${baseUrl}\`, or set VIDEO_TO_JSON_API_KEY.`,
    );
  }
  return { baseUrl, apiKey: validateKey(saved.apiKey) };
}

/** Returns a key that fits in a header. Throws unauthorised, without the key. The service checks whether it is live. */
export function validateKey(text: string): string {
  const key = text.trim();
  if (/^[\x21-\x7e]{1,500}$/.test(key)) return key;
  throw new CommandError(
    "unauthorised",
    "This is not an API key. Copy the whole key, which is one word, and try again.",
  );
}

/** Returns an http(s) address without slashes at its end. Throws wrong_usage for any other text. */
export function validateAddress(text: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (!url || !["http:", "https:"].includes(url.protocol)) {
    throw new CommandError(
      "wrong_usage",
      `"${text}" is not an http(s) address. Give one such as https://api.example.com.`,
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new CommandError(
      "wrong_usage",
      "The address has parts besides host and path. Give one such as https://api.example.com.",
    );
  }
  return url.href.replace(/\/+$/, "");
}

/** Returns whether requests to this address cross a network unencrypted. */
export function isUnencrypted(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

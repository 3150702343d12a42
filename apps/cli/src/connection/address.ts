import { CommandError } from "../exit/command-error.ts";

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

import { Refusal } from "../exit/refusal.ts";

/** The service's address as it is used: http or https, with neither user, query nor fragment. Throws wrong_usage. */
export function judgeAddress(text: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (!url || !["http:", "https:"].includes(url.protocol)) {
    throw new Refusal("wrong_usage", `"${text}" is no address. Give one such as https://api.example.com.`);
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new Refusal(
      "wrong_usage",
      "The address holds more than a host and a path. Give one such as https://api.example.com.",
    );
  }
  return url.href.replace(/\/+$/, "");
}

/** Whether what is sent there can be read on the way. */
export function isUnprotected(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { isIPv4, isIPv6 } from "node:net";
import { Problem } from "@video-to-json/contract";
import type { RequestHandler } from "express";

const maxHeaders = 100;

/** Refuses a request with more than 100 headers. Node drops headers above its own limit and serves the rest. */
export const limitHeaders: RequestHandler = (request, _response, next) => {
  if (request.rawHeaders.length / 2 > maxHeaders) {
    throw new Problem("invalid_request", { reason: `The request has more than ${maxHeaders} headers. Send fewer.` });
  }
  next();
};

/** Requires a Host header of HTTP/1.1 requests. Node can do this itself, but it answers without our Error body. */
export const requireHost: RequestHandler = (request, _response, next) => {
  if (request.httpVersion === "1.1" && request.headers.host === undefined) {
    throw new Problem("invalid_request", { reason: "The Host header is missing. Send it." });
  }
  next();
};

/**
 * Assigns an id to each request: the caller's `X-Request-Id` if it has a plain form, otherwise a new UUID. The id is in
 * `response.locals.requestId` and in the response header `X-Request-Id`.
 */
export const requestId: RequestHandler = (request, response, next) => {
  const given = request.get("x-request-id");
  const id = given && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
  response.locals.requestId = id;
  response.set("X-Request-Id", id);
  next();
};

/** Returns a signal that aborts when the response is complete or the client has closed the connection. */
export function signalOnClose(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  response.once("close", () => closed.abort());
  if (response.destroyed) closed.abort();
  return closed.signal;
}

const groupBits = 16;

/**
 * Returns the networks that sign-ins and fetches are counted by, as one owner gets them: the /24 of an IPv4 address; the /56 and the
 * /48 of an IPv6 address, narrow first. Returns "unknown" for anything else.
 */
export function clientNetworks(ip: string | undefined): string[] {
  const narrow = clientNetwork(ip);
  if (isIPv4(narrow)) return [`${narrow.replace(/\d+$/, "0")}/24`];
  if (narrow === "unknown") return [narrow];
  const groups = groupsOf(narrow.replace("::/64", ""));
  const cut = (bits: number) =>
    groups.map((group, index) => group & (0xffff << Math.min(groupBits, Math.max(0, groupBits * (index + 1) - bits))));
  return [56, 48].map(
    (bits) =>
      `${cut(bits)
        .map((group) => group.toString(16))
        .join(":")}::/${bits}`,
  );
}

/**
 * Returns the network that rate limits count as one client: a whole IPv4 address, or the first 64 bits of an IPv6
 * address (`2001:db8:0:1::/64`), which usually belong to one household or server. Returns "unknown" for anything else.
 */
export function clientNetwork(ip: string | undefined): string {
  const [address = ""] = (ip ?? "").split("%");
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address;
  if (isIPv4(mapped)) return mapped;
  if (!isIPv6(mapped)) return "unknown";
  const [head = [], tail] = mapped.split("::").map(groupsOf);
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array<number>(zeros).fill(0), ...(tail ?? [])];
  const prefix = groups.slice(0, 4).map((group) => group.toString(16));
  return `${prefix.join(":")}::/64`;
}

/** Parses groups of 16 bits. An IPv4 address at the end is two groups, whose values do not matter here. */
function groupsOf(part: string): number[] {
  if (part === "") return [];
  return part.split(":").flatMap((group) => (group.includes(".") ? [0, 0] : [Number.parseInt(group, 16)]));
}

import { open, rm } from "node:fs/promises";
import { Problem } from "@video-to-json/contract";
import { type Dispatcher, request } from "undici";
import { asDiskFullProblem } from "../disk-full.ts";
import { nameNonVideo } from "../measure/not-a-video.ts";
import { unreadable } from "../measure/unreadable.ts";
import { checkVideoUrl } from "./check-video-url.ts";
import { guardUrl } from "./guard-url.ts";
import { createGuardedAgent } from "./guarded-agent.ts";
import { watchRate } from "./least-rate.ts";
import type { Resolve } from "./resolve-name.ts";
import { asUnreachable } from "./unreachable-reason.ts";

type FetchOptions = {
  maxBytes: number;
  /** `host:port` pairs that may be at private addresses and on any port. */
  allowHosts: readonly string[];
  /** For everything together, redirects included. */
  totalMs: number;
  minBytesPerSecond: number;
  /** The rate is judged over each window of this length; 10 s unless told. */
  rateWindowMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Instead of the system's resolver and name servers. */
  resolve?: Resolve | undefined;
};

/**
 * Downloads a caller's URL to a file of ours, from the public internet only, at most five redirects on. Throws the
 * Problems `invalid_request` (no http(s) URL), `video_unreachable`, `file_too_large`, `media_unreadable` (it yields
 * something that is no video) and `provider_unavailable` (no room for it here); when `signal` aborts, its reason. A
 * failure leaves no file.
 */
export async function fetchVideo(url: string, path: string, options: FetchOptions): Promise<{ bytes: number }> {
  const target = checkVideoUrl(url, options);
  options.signal?.throwIfAborted();
  const { allowHosts, resolve } = options;
  const tooSlow = new AbortController();
  const tooLate = AbortSignal.timeout(options.totalMs);
  const signal = AbortSignal.any([tooSlow.signal, tooLate, ...(options.signal ? [options.signal] : [])]);
  const agent = createGuardedAgent({ allowHosts, resolve, signal });
  try {
    const response = await follow(target, agent, { allowHosts, signal });
    return { bytes: await save(response, path, options, () => tooSlow.abort()) };
  } catch (error) {
    await rm(path, { force: true });
    options.signal?.throwIfAborted();
    if (tooSlow.signal.aborted) throw unreachable("The URL's server sends the video too slowly.");
    if (tooLate.aborted) throw unreachable(`The download took longer than ${Math.round(options.totalMs / 1000)} s.`);
    throw asDiskFullProblem(error) ?? error;
  } finally {
    await agent.destroy();
  }
}

const mostRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

async function follow(
  first: URL,
  agent: Dispatcher,
  options: { allowHosts: readonly string[]; signal: AbortSignal },
): Promise<Dispatcher.ResponseData> {
  let target = first;
  for (let hop = 0; hop <= mostRedirects; hop++) {
    const response = await get(target, agent, options.signal);
    const location = redirects.has(response.statusCode) ? response.headers.location : undefined;
    if (location === undefined) return response;
    response.body.on("error", () => {}).destroy();
    if (typeof location !== "string") throw unreachable("The URL redirects to several places at once.");
    target = redirectTarget(location, target, options.allowHosts);
  }
  throw unreachable(`The URL redirects more than ${mostRedirects} times.`);
}

function redirectTarget(location: string, from: URL, allowHosts: readonly string[]): URL {
  const next = URL.parse(location, from.href);
  if (!next || !/^https?:$/.test(next.protocol))
    throw unreachable("The URL redirects to something that is not http(s).");
  guardUrl(next, { allowHosts });
  return next;
}

async function get(target: URL, dispatcher: Dispatcher, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const headers = { accept: "video/*, */*;q=0.5", "accept-encoding": "identity", "user-agent": "video-to-json/1.0" };
  try {
    return await request(target, { dispatcher, signal, headers });
  } catch (error) {
    throw asUnreachable(error);
  }
}

async function save(
  response: Dispatcher.ResponseData,
  path: string,
  options: FetchOptions,
  tooSlow: () => void,
): Promise<number> {
  const { statusCode, headers, body } = response;
  // An answer that is refused unread is destroyed, which it reports as an error of its own.
  body.on("error", () => {});
  if (statusCode < 200 || statusCode > 299) throw unreachable(`The URL's server answered ${statusCode}.`);
  if (statusCode === 206 && !isWhole(headers["content-range"]))
    throw unreachable("The URL's server sends a part of the video, which was not asked for.");
  const encoding = String(headers["content-encoding"] ?? "").trim();
  if (!/^(identity)?$/i.test(encoding))
    throw unreachable("The URL's server sends the video compressed (Content-Encoding), which was not asked for.");
  if (Number(headers["content-length"]) > options.maxBytes) throw downloadTooLarge(options.maxBytes);

  const rate = watchRate({
    minBytesPerSecond: options.minBytesPerSecond,
    windowMs: options.rateWindowMs ?? 10_000,
    tooSlow,
  });
  let bytes = 0;
  const file = await open(path, "w");
  try {
    for await (const chunk of received(body)) {
      if (bytes === 0) refuseNonVideo(chunk);
      bytes += chunk.length;
      if (bytes > options.maxBytes) throw downloadTooLarge(options.maxBytes);
      rate.count(chunk.length);
      await file.appendFile(chunk);
    }
    if (bytes === 0) throw unreadable("The URL did not yield a video: the answer is empty.");
    return bytes;
  } finally {
    rate.stop();
    await file.close();
  }
}

/** Some servers call all of a file a part of it. */
function isWhole(contentRange: string | string[] | undefined): boolean {
  const [, last, size] = /^bytes 0-(\d+)\/(\d+)$/i.exec(String(contentRange).trim()) ?? [];
  return last !== undefined && Number(last) + 1 === Number(size);
}

/** What breaks while bytes come is the network's; what breaks while they are written is ours, and stays as it is. */
async function* received(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw asUnreachable(error);
  }
}

function refuseNonVideo(firstChunk: Buffer): void {
  const other = nameNonVideo(firstChunk.subarray(0, 1024));
  if (other) throw unreadable(`The URL did not yield a video, but ${other}.`);
}

function downloadTooLarge(maxBytes: number): Problem {
  return new Problem("file_too_large", { what: "download", maxBytes });
}

function unreachable(reason: string): Problem {
  return new Problem("video_unreachable", { reason });
}

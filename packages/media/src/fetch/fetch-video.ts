import { Problem } from "@video-to-json/contract";
import { watchMinimumRate } from "@video-to-json/runtime/timing";
import { type Dispatcher, request } from "undici";
import { bytesToName, nameNonVideo } from "../measure/container.ts";
import { notMoving } from "../measure/media-problems.ts";
import { createGuardedAgent, type Dns, isTransientDnsCode, type Resolve } from "./guarded-agent.ts";
import { checkVideoUrl, guardUrl } from "./video-url.ts";

type FetchOptions = {
  maxBytes: number;
  /** `host:port` pairs that may have private addresses and any port. */
  allowHosts: readonly string[];
  /** The time limit of all downloads of the job, redirects included, in milliseconds. */
  totalMs: number;
  /** How much of it earlier downloads have used up. */
  spentMs?: number | undefined;
  minBytesPerSecond: number;
  /** The window over which the minimum rate is checked, in milliseconds. 10 000 by default. */
  rateWindowMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Called with the address of each server that the download connects to. */
  onAddress?: ((address: string) => void) | undefined;
  /** Replaces the resolution of names. */
  resolve?: Resolve | undefined;
  /** Replaces Node's DNS module. */
  dns?: Dns | undefined;
};

/** Keeps the bytes of a download. Calls `onCopied` with each chunk whose bytes were copied; its memory is gone then. */
export type SaveBytes<Saved> = (bytes: AsyncIterable<Buffer>, onCopied: (chunk: Uint8Array) => void) => Promise<Saved>;

/**
 * Downloads a caller's URL from the public internet, and gives its bytes to `save`, whose result it returns. Follows up
 * to five redirects. The bytes fail as soon as the first ones show that the content is not a video.
 *
 * @throws Problem `invalid_request` if it is not an http(s) URL, `video_unreachable`, `file_too_large`,
 *   `media_unreadable` if the content is not a video; the reason of `signal`; the error of `save`.
 */
export async function fetchVideo<Saved>(url: string, save: SaveBytes<Saved>, options: FetchOptions): Promise<Saved> {
  const target = checkVideoUrl(url, options);
  options.signal?.throwIfAborted();
  const { allowHosts, resolve, dns, onAddress } = options;
  const tooSlow = new AbortController();
  const tooLate = AbortSignal.timeout(Math.max(0, Math.round(options.totalMs - (options.spentMs ?? 0))));
  const signal = AbortSignal.any([tooSlow.signal, tooLate, ...(options.signal ? [options.signal] : [])]);
  const agent = createGuardedAgent({ allowHosts, resolve, dns, signal, onAddress });
  try {
    const response = await follow(target, agent, { allowHosts, signal });
    return await save(
      readVideo(response, options, () => tooSlow.abort()),
      free,
    );
  } catch (error) {
    options.signal?.throwIfAborted();
    if (tooSlow.signal.aborted) throw unreachable("The URL's server sends the video too slowly.");
    if (tooLate.aborted) throw unreachable(`The download took longer than ${Math.round(options.totalMs / 1000)} s.`);
    throw error;
  } finally {
    await agent.destroy();
  }
}

const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

async function follow(
  first: URL,
  agent: Dispatcher,
  options: { allowHosts: readonly string[]; signal: AbortSignal },
): Promise<Dispatcher.ResponseData> {
  let target = first;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await get(target, agent, options.signal);
    const location = redirects.has(response.statusCode) ? response.headers.location : undefined;
    if (location === undefined && !hasExpired(response, target)) return response;
    response.body.on("error", () => {}).destroy();
    if (location === undefined) throw unreachable(expired);
    if (typeof location !== "string") throw unreachable("The URL redirects to several places at once.");
    target = redirectTarget(location, target, options.allowHosts);
  }
  throw unreachable(`The URL redirects more than ${maxRedirects} times.`);
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

const expired = "The URL's server answered 403. The address is signed, and may have expired: make a new one.";

/** Signed URLs of S3, Google Cloud Storage, Azure and CloudFront have one of these parameters. */
function hasExpired({ statusCode }: Dispatcher.ResponseData, { search }: URL): boolean {
  return statusCode === 403 && /[?&](X-Amz-Signature|X-Goog-Signature|sig|Signature)=/i.test(search);
}

async function* readVideo(
  response: Dispatcher.ResponseData,
  options: FetchOptions,
  onTooSlow: () => void,
): AsyncGenerator<Buffer> {
  const { statusCode, headers, body } = response;
  // Destroying an unread body emits an error.
  body.on("error", () => {});
  if (statusCode < 200 || statusCode > 299) throw unreachable(`The URL's server answered ${statusCode}.`);
  if (statusCode === 206 && !isWhole(headers["content-range"]))
    throw unreachable("The URL's server sends only a part of the video.");
  const encoding = String(headers["content-encoding"] ?? "").trim();
  if (!/^(identity)?$/i.test(encoding))
    throw unreachable("The URL's server sends the video compressed (Content-Encoding).");
  if (Number(headers["content-length"]) > options.maxBytes) throw downloadTooLarge(options.maxBytes);

  const rate = watchMinimumRate({
    minBytesPerSecond: options.minBytesPerSecond,
    windowMs: options.rateWindowMs ?? 10_000,
    onTooSlow,
  });
  let bytes = 0;
  let first = Buffer.alloc(0);
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const { done, value: chunk } = await chunks.next().catch((error: unknown) => {
        throw asUnreachable(error);
      });
      if (done) break;
      if (bytes < bytesToName) {
        first = Buffer.concat([first, chunk.subarray(0, bytesToName - bytes)]);
        rejectNonVideo(first);
      }
      bytes += chunk.length;
      if (bytes > options.maxBytes) throw downloadTooLarge(options.maxBytes);
      rate.count(chunk.length);
      yield chunk;
    }
    if (bytes === 0) throw notAVideo("The URL did not return a video: the response is empty.");
  } finally {
    body.destroy();
    rate.stop();
  }
}

/** Returns whether the range is the whole file. Some servers answer 206 to a request without a range. */
function isWhole(contentRange: string | string[] | undefined): boolean {
  const [, last, size] = /^bytes 0-(\d+)\/(\d+)$/i.exec(String(contentRange).trim()) ?? [];
  return last !== undefined && Number(last) + 1 === Number(size);
}

/** Frees a chunk with its own memory at once, because the garbage collector would let hundreds of chunks pile up. */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}

function rejectNonVideo(firstBytes: Buffer): void {
  const other = nameNonVideo(firstBytes);
  if (other) throw notAVideo(`The URL did not return a video, but ${other}.`);
}

function notAVideo(reason: string): Problem {
  return new Problem("media_unreadable", { reason, isAnswer: true, isNotMoving: notMoving.test(reason) });
}

function downloadTooLarge(maxBytes: number): Problem {
  return new Problem("file_too_large", { what: "download", maxBytes });
}

function unreachable(reason: string): Problem {
  return new Problem("video_unreachable", { reason });
}

/**
 * Converts the error of a download to the Problem `video_unreachable`. Its message contains no address and no path.
 * Returns the error itself if this machine ran out of a resource, because the URL is not at fault then.
 */
export function asUnreachable(error: unknown): unknown {
  const problem = findProblem(error);
  if (problem) return problem;
  if (isLocalResourceExhaustion(error)) return error;
  return new Problem("video_unreachable", { reason: reasonFor(codeOf(error)) }, { cause: error });
}

/** Returns whether this machine ran out of file descriptors, memory or local ports. */
function isLocalResourceExhaustion(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isLocalResourceExhaustion)) return true;
  const { code = "", address = "" } = error as NodeJS.ErrnoException & { address?: string };
  if (/^(EMFILE|ENFILE|ENOMEM|ENOBUFS|EAI_MEMORY|EAI_SYSTEM|EFILE)$/.test(code)) return true;
  // For an IPv6 address, EADDRNOTAVAIL means that this machine has no IPv6, not that its ports are exhausted.
  if (code === "EADDRNOTAVAIL" && !address.includes(":")) return true;
  return isLocalResourceExhaustion(error.cause);
}

/** Finds a Problem that the HTTP client has wrapped, because it was thrown while connecting. */
function findProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof AggregateError) return error.errors.map(findProblem).find(Boolean);
  return error instanceof Error && error.cause !== undefined ? findProblem(error.cause) : undefined;
}

/** Returns the error's code, or its name: some errors of the HTTP client's parser have no code. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

function reasonFor(code: string): string {
  if (isTransientDnsCode(code)) return "The URL's host name cannot be resolved right now: no name server answers.";
  if (/^(ENOTFOUND|EAI_|ENODATA|EBADNAME)/.test(code)) return "The URL's host name was not found.";
  if (code === "ECONNREFUSED") return "The URL's server refused the connection.";
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return "The URL's server did not answer in time.";
  if (/^(CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code))
    return "No secure connection to the URL's server is possible: its certificate or protocol is not accepted.";
  if (/OVERFLOW|HPE_|Parser/i.test(code)) return "The URL's server did not answer in valid HTTP.";
  return "The connection to the URL's server closed before the whole video had arrived.";
}

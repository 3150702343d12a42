import type { IncomingMessage } from "node:http";

/** Why a request is refused before the app sees it. */
export type HttpRefusal = { readonly status: "400 Bad Request" | "501 Not Implemented"; readonly reason: string };

const onlyOnce = ["host", "authorization"];

/**
 * Returns why a request is ambiguous, so that it must be refused (RFC 9112, 2.3, 3.2 and 6.1): a header that must occur
 * once occurs twice, the transfer coding is not plain `chunked`, or the version is not HTTP/1. Returns undefined for
 * every other request.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-11.2
 */
export function httpRefusalOf({ rawHeaders, headers, httpVersionMajor }: IncomingMessage): HttpRefusal | undefined {
  if (httpVersionMajor !== 1) {
    return { status: "400 Bad Request", reason: "The version in the request line is not HTTP/1.1. Send HTTP/1.1." };
  }
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const twice = onlyOnce.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) {
    return { status: "400 Bad Request", reason: `The request has the header \`${twice}\` twice. Send it once.` };
  }
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked") {
    const reason = "The transfer coding of the request is not supported. Send `chunked`, or a Content-Length.";
    return { status: "501 Not Implemented", reason };
  }
  return undefined;
}

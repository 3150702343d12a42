/**
 * Returns the URL of an upload session: the path and query that Gemini returned, on the origin and below the path
 * of `baseUrl`. So no reply can send the video or the key to another host. A `key` in the query is removed, because
 * the key travels in a header. Returns null when `given` is not a URL.
 */
export function uploadUrl(given: string | undefined, baseUrl: string): string | null {
  if (!given || !URL.canParse(given, baseUrl)) return null;
  const base = new URL(baseUrl);
  const url = new URL(given, baseUrl);
  const search = withoutKey(url.search);
  if (url.origin === base.origin) return `${url.origin}${url.pathname}${search}`;
  const basePath = base.pathname.replace(/\/+$/, "");
  const path = url.pathname.startsWith(`${basePath}/`) ? url.pathname : basePath + url.pathname;
  return `${base.origin}${path}${search}`;
}

/** The other parameters stay byte for byte as Gemini wrote them. */
function withoutKey(search: string): string {
  const parameters = search
    .slice(1)
    .split("&")
    .filter((parameter) => parameter !== "" && !/^key(=|$)/i.test(parameter));
  return parameters.length === 0 ? "" : `?${parameters.join("&")}`;
}

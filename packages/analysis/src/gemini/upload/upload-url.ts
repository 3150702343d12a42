/**
 * Where the bytes go: the path and query the service named, always on the origin (and below the path) that we were told
 * to speak to, so that no reply can send the video or the key elsewhere. A key that the service echoes in the query is
 * left out: it travels in a header. Null when it is no URL.
 */
export function uploadUrl(given: string | undefined, baseUrl: string): string | null {
  if (!given || !URL.canParse(given, baseUrl)) return null;
  const base = new URL(baseUrl);
  const url = new URL(given, baseUrl);
  const search = withoutKey(url.search);
  if (url.origin === base.origin) return `${url.origin}${url.pathname}${search}`;
  const below = base.pathname.replace(/\/+$/, "");
  const path = url.pathname.startsWith(`${below}/`) ? url.pathname : below + url.pathname;
  return `${base.origin}${path}${search}`;
}

/** The rest of the query stays byte for byte as the service wrote it. */
function withoutKey(search: string): string {
  const kept = search
    .slice(1)
    .split("&")
    .filter((parameter) => parameter !== "" && !/^key(=|$)/i.test(parameter));
  return kept.length === 0 ? "" : `?${kept.join("&")}`;
}

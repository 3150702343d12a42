/**
 * Where the bytes go: the path and query the service named, always on the origin (and below the path) that we were told
 * to speak to, so that no reply can send the video or the key elsewhere. Null when it is no URL.
 */
export function uploadUrl(given: string | undefined, baseUrl: string): string | null {
  if (!given || !URL.canParse(given, baseUrl)) return null;
  const base = new URL(baseUrl);
  const url = new URL(given, baseUrl);
  if (url.origin === base.origin) return `${url.origin}${url.pathname}${url.search}`;
  const below = base.pathname.replace(/\/+$/, "");
  const path = url.pathname.startsWith(`${below}/`) ? url.pathname : below + url.pathname;
  return `${base.origin}${path}${url.search}`;
}

import type { Request } from "express";

/**
 * Returns whether nobody between the browser and us can read a cookie: the connection is TLS, here or at a proxy that we
 * trust or that `publicUrl` names, or it stays on this machine.
 */
export function isPrivateConnection(request: Request, publicUrl: string | undefined): boolean {
  return isSecure(request, publicUrl) || isLocal(request.hostname);
}

/** Returns whether the browser came by TLS. */
export function isSecure(request: Request, publicUrl: string | undefined): boolean {
  return request.secure || (publicUrl?.startsWith("https:") ?? false);
}

function isLocal(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
}

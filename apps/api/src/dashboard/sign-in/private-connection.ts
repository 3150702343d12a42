import type { Request } from "express";

/**
 * Returns whether a cookie is safe from readers between the browser and us: the connection stays on this machine, or it
 * is TLS. TLS may end here, at a trusted proxy, or at the proxy that `publicUrl` names.
 */
export function isPrivateConnection(request: Request, publicUrl: string | undefined): boolean {
  return isSecure(request, publicUrl) || isLocal(request.hostname);
}

/** Returns whether the browser used TLS. */
export function isSecure(request: Request, publicUrl: string | undefined): boolean {
  return request.secure || (publicUrl?.startsWith("https:") ?? false);
}

/** Returns whether browser and service are on one machine: the address of the browser and `publicUrl` name no other. */
export function isOwnMachine(request: Request, publicUrl: string | undefined): boolean {
  return isLocal(request.hostname) && (publicUrl === undefined || isLocal(new URL(publicUrl).hostname));
}

function isLocal(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
}

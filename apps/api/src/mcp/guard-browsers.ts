import { isIP } from "node:net";
import { hostHeaderValidation, originValidation } from "@modelcontextprotocol/express";
import type { RequestHandler } from "express";
import { RpcError, rpcCodes } from "./rpc-error.ts";

export type GuardBrowsersDeps = { readonly mcpAllowedHosts: readonly string[] };

const localHosts = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Stops web pages of other sites from using a visitor's network to reach `/v1/mcp` (DNS rebinding). The Host header
 * must be one of our names or an IP address, because no name server can point an address at us. The Origin of a page
 * must be ours. Our names are the hosts of PUBLIC_URL and this machine. A name without a dot, such as that of a service in
 * a cluster, passes as an address does.
 */
export function guardBrowsers({ mcpAllowedHosts }: GuardBrowsersDeps): RequestHandler[] {
  const names = [...localHosts, ...mcpAllowedHosts];
  // A name with a dot at its end is the same name.
  const allowed = names.flatMap((name) => [name, `${name}.`]);
  const validateName = hostHeaderValidation(allowed);
  return [
    (request, response, next) => {
      const { host } = request.headers;
      // Only a name and a port. Other servers on the way may read the rest of such a header, as in `user@`, differently.
      if (!/^[^\s/?#@\\]+$/.test(host ?? "")) {
        throw new RpcError(
          403,
          rpcCodes.refused,
          "The Host header is missing or malformed. Send the name of this service.",
        );
      }
      if (isAddress(host) || /^[a-z0-9_-]+(?::\d+)?$/i.test(host ?? "")) next();
      else validateName(request, response, next);
    },
    originValidation(allowed),
  ];
}

function isAddress(host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  return isIP(new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, "")) !== 0;
}

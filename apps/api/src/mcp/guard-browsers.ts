import { isIP } from "node:net";
import { hostHeaderValidation, originValidation } from "@modelcontextprotocol/express";
import type { RequestHandler } from "express";
import { RpcFault, rpcCodes } from "./rpc-fault.ts";

type Deps = { readonly publicUrl: string | undefined; readonly mcpAllowedHosts: readonly string[] };

const local = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Keeps other people's web pages away: a request names us by a name that is ours, or by an address, which no name server
 * can turn on us, and if a page sent it (`Origin`), the page is ours. Ours are the host of PUBLIC_URL, this machine, and
 * MCP_ALLOWED_HOSTS.
 */
export function guardBrowsers({ publicUrl, mcpAllowedHosts }: Deps): RequestHandler[] {
  const names = [...local, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]), ...mcpAllowedHosts];
  // With a dot at its end a name is the same name.
  const ours = names.flatMap((name) => [name, `${name}.`]);
  const checkName = hostHeaderValidation(ours);
  return [
    (request, response, next) => {
      // A name and a port: with more in it, such as `user@`, it would be read in one way here and in another behind us.
      if (!/^[^\s/?#@\\]+$/.test(request.headers.host ?? "")) {
        throw new RpcFault(
          403,
          rpcCodes.refused,
          "The Host header is missing or malformed. Send the name of this service.",
        );
      }
      if (isAddress(request.headers.host)) next();
      else checkName(request, response, next);
    },
    originValidation(ours),
  ];
}

function isAddress(host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  return isIP(new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, "")) !== 0;
}

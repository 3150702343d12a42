import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { CommandError } from "../exit/command-error.ts";
import { printable } from "../terminal.ts";

/** A sign-in that waits for its browser. */
export type BrowserSignIn = {
  /** The address that the browser opens. */
  readonly url: string;
  /** Resolves with what the browser came back with. */
  readonly answer: Promise<URLSearchParams>;
  /** Fetches the key. Throws unauthorised if the user refused, or if the answer is of another sign-in. */
  fetchKey(answer: URLSearchParams): Promise<string>;
  close(): void;
};

const path = "/callback";
const page = "<!doctype html><title>video-to-json</title><p>You can close this window and go back to the terminal.";

/**
 * Starts a sign-in in a browser: OAuth 2.1 with PKCE and a redirect to this machine (RFC 8252). Returns undefined if the
 * service has no sign-in, or cannot be reached.
 */
export async function startBrowserSignIn(baseUrl: string): Promise<BrowserSignIn | undefined> {
  const ask = async (route: string, body: string | URLSearchParams) => {
    const answer = await fetch(baseUrl + route, { method: "POST", body, signal: AbortSignal.timeout(10_000) });
    return (await answer.json()) as Record<string, string | undefined>;
  };
  const client = { client_name: `video-to-json on ${hostname()}`, redirect_uris: [`http://127.0.0.1${path}`] };
  const { client_id } = await ask("/register", JSON.stringify(client)).catch(() => ({ client_id: undefined }));
  if (client_id === undefined) return undefined;

  const [verifier, state] = [randomBytes(32).toString("base64url"), randomBytes(16).toString("base64url")];
  const server = createServer();
  const answer = new Promise<URLSearchParams>((resolve) => {
    server.on("request", (request, response) => {
      const asked = new URL(request.url ?? "", "http://localhost");
      // Other pages of the browser can send requests here too.
      const isAnswer = asked.pathname === path && asked.searchParams.get("state") === state;
      response.writeHead(isAnswer ? 200 : 404, { "content-type": "text/html", connection: "close" });
      // The page arrives before the connection is closed.
      response.end(isAnswer ? page : "", () => isAnswer && resolve(asked.searchParams));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const redirect_uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const query = {
    ...{ response_type: "code", client_id, redirect_uri, state, scope: "extract" },
    ...{ code_challenge: createHash("sha256").update(verifier).digest("base64url"), code_challenge_method: "S256" },
  };
  return {
    url: `${baseUrl}/authorize?${new URLSearchParams(query)}`,
    answer,
    async fetchKey(given) {
      const code = given.get("state") === state ? given.get("code") : null;
      if (code === null) throw new CommandError("unauthorised", "The sign-in was refused, or is an earlier one.");
      const form = { grant_type: "authorization_code", client_id, redirect_uri, code, code_verifier: verifier };
      const { access_token, error_description } = await ask("/token", new URLSearchParams(form));
      if (access_token === undefined) throw new CommandError("unauthorised", printable(String(error_description)));
      return access_token;
    },
    close: () => {
      server.close();
      // Browsers connect before they send, and a connection that is open keeps the process alive.
      server.closeAllConnections();
    },
  };
}

const openers: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens an address in the browser of this machine, if it has one. */
export function openInBrowser(platform: NodeJS.Platform, url: string): void {
  const [program = "", ...words] = openers[platform] ?? ["xdg-open"];
  // A machine without a browser has no such program, and its user opens the address elsewhere.
  spawn(program, [...words, url], { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
}

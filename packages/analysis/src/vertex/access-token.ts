import { readFile } from "node:fs/promises";
import { withTimeLimit } from "@video-to-json/runtime/timing";
import { GoogleAuth, gaxios, JWT } from "google-auth-library";
import { EnvHttpProxyAgent, fetch } from "undici";
import type { ProxySettings, TokenSource } from "../gemini/connection.ts";
import { GeminiError } from "../gemini/gemini-error.ts";

const scopes = ["https://www.googleapis.com/auth/cloud-platform"];
const tokenMs = 15_000;

/** The file that Google gives out with a service account. */
type ServiceAccount = { client_email: string; private_key: string; token_uri?: string };

/**
 * Returns the access tokens of a service account: of the one whose key is in `keyFile`, or else of the machine, which the
 * metadata server knows. Google's library renews a token before it ends. It asks Google's address whatever the file says; we
 * ask the `token_uri` of the file, through the proxy of the provider.
 */
export function openTokenSource(keyFile: string | undefined, proxy: ProxySettings | undefined): TokenSource {
  const dispatcher = new EnvHttpProxyAgent({
    ...{ httpProxy: "", httpsProxy: proxy?.url ?? "", noProxy: proxy?.except ?? "" },
  });
  const create = async () => {
    if (keyFile === undefined) return new GoogleAuth({ scopes });
    const { client_email, private_key, token_uri } = JSON.parse(await readFile(keyFile, "utf8")) as ServiceAccount;
    const ask = async (_url: unknown, init: object) =>
      fetch(token_uri ?? "https://oauth2.googleapis.com/token", { ...init, dispatcher });
    const transporter = new gaxios.Gaxios({ fetchImplementation: ask as unknown as typeof globalThis.fetch });
    const authClient = new JWT({ email: client_email, key: private_key, scopes, transporter });
    return new GoogleAuth({ authClient });
  };
  let auth: Promise<GoogleAuth> | undefined;
  let newest: string | undefined;
  return {
    async get() {
      try {
        auth ??= create();
        const limit = () => new Error(`Google gave no access token within ${tokenMs / 1000} s.`);
        const token = await withTimeLimit(tokenMs, limit, (await auth).getAccessToken());
        if (!token) throw new Error("Google gave no access token.");
        newest = token;
        return token;
      } catch (cause) {
        // The library keeps what it has found out, also a failure.
        auth = undefined;
        throw new GeminiError(`No access token: ${(cause as Error).message}`, { status: null, cause });
      }
    },
    newest: () => newest,
    drop() {
      auth = undefined;
    },
    close: () => dispatcher.close(),
  };
}

import { Refusal } from "../exit/refusal.ts";
import type { Io } from "../io.ts";
import { judgeAddress } from "./address.ts";
import { judgeKey } from "./api-key.ts";
import { type Credentials, credentialsPath, readCredentials } from "./credentials-file.ts";

/**
 * The address and the key to use: from `--url` and the environment, else from the login that is kept. The kept key goes
 * nowhere but to the address it was kept with. Throws unauthorised when there is no key, wrong_usage when there is no
 * address.
 */
export async function findConnection(
  surroundings: Pick<Io, "env" | "platform" | "home">,
  { url }: { url?: string | undefined },
): Promise<Credentials> {
  const { env } = surroundings;
  const givenKey = env.VIDEO_TO_JSON_API_KEY?.trim();
  const givenUrl = url ?? (env.VIDEO_TO_JSON_URL?.trim() || undefined);
  const kept = givenKey && givenUrl ? undefined : await readCredentials(credentialsPath(surroundings));
  const address = givenUrl ?? kept?.url;
  if (!givenKey && !kept) {
    throw new Refusal("unauthorised", "There is no key. Run `video-to-json login`, or set VIDEO_TO_JSON_API_KEY.");
  }
  if (address === undefined) {
    throw new Refusal(
      "wrong_usage",
      "There is no address. Give --url, set VIDEO_TO_JSON_URL, or run `video-to-json login`.",
    );
  }
  const baseUrl = judgeAddress(address);
  if (givenKey) return { url: baseUrl, apiKey: judgeKey(givenKey) };
  if (!kept || new URL(baseUrl).origin !== new URL(judgeAddress(kept.url)).origin) {
    throw new Refusal(
      "unauthorised",
      `The key that is kept belongs to ${kept?.url}. Run \`video-to-json login --url ${baseUrl}\`, or set VIDEO_TO_JSON_API_KEY.`,
    );
  }
  return { url: baseUrl, apiKey: judgeKey(kept.apiKey) };
}

import { createClient } from "video-to-json";
import { isUnprotected, judgeAddress } from "../connection/address.ts";
import { judgeKey } from "../connection/api-key.ts";
import {
  type Credentials,
  credentialsPath,
  readCredentials,
  writeCredentials,
} from "../connection/credentials-file.ts";
import { Refusal } from "../exit/refusal.ts";
import type { Io } from "../io.ts";
import { printable } from "../terminal/printable.ts";
import { ask, pipedLines } from "./ask.ts";

/**
 * Asks for what is not given, checks it with `GET /v1/me`, and keeps it. A key that the service does not accept is not
 * kept, and what was kept before stays.
 */
export async function login(surroundings: Io, options: { url?: string }): Promise<void> {
  const { env, stdin, stderr } = surroundings;
  const path = credentialsPath(surroundings);
  const url = options.url ?? (env.VIDEO_TO_JSON_URL?.trim() || undefined);
  const known = url ?? (await readCredentials(path).catch(() => undefined))?.url;
  const { url: baseUrl, apiKey } = await (stdin.isTTY ? askFor : readFrom)(surroundings, { url, known });
  if (isUnprotected(baseUrl)) stderr.write(`Warning: ${baseUrl} is not encrypted; the key can be read on the way.\n`);
  // Somebody waits and may have mistyped the address.
  const account = await createClient({ baseUrl, apiKey, retries: 1 }).account();
  await writeCredentials(path, { url: baseUrl, apiKey });
  stderr.write(`Logged in at ${baseUrl} as ${printable(account.email)}; ${account.seconds_remaining} s remain.\n`);
  stderr.write(`The key is kept in ${path}, for you alone.\n`);
  if (env.VIDEO_TO_JSON_API_KEY) {
    stderr.write("VIDEO_TO_JSON_API_KEY is set, and goes before the key that is kept.\n");
  }
}

/** `url` is given and settled; `known` is what to propose. */
type Address = { url: string | undefined; known: string | undefined };

async function askFor(terminal: Io, { url, known }: Address): Promise<Credentials> {
  const proposal = known ? ` [${known}]` : "";
  const address = judgeAddress(url ?? ((await ask(terminal, `Address${proposal}: `)).trim() || (known ?? "")));
  return { url: address, apiKey: judgeKey(await ask(terminal, "Key (not shown): ", { hidden: true })) };
}

async function readFrom({ stdin }: Io, { url, known }: Address): Promise<Credentials> {
  const lines = await pipedLines({ stdin });
  const isAddress = (line: string) => /^https?:\/\//i.test(line);
  const address = url ?? lines.find(isAddress) ?? known;
  if (address === undefined) {
    throw new Refusal("wrong_usage", "There is no address. Give --url, or set VIDEO_TO_JSON_URL.");
  }
  const key = lines.find((line) => !isAddress(line));
  if (key === undefined) throw new Refusal("unauthorised", "No key came on standard input. Pipe it in.");
  return { url: judgeAddress(address), apiKey: judgeKey(key) };
}

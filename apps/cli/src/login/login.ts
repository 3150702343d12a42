import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { createClient } from "video-to-json";
import {
  type Credentials,
  credentialsPath,
  readCredentials,
  removeCredentials,
  writeCredentials,
} from "../connection/credentials-file.ts";
import { isUnencrypted, validateAddress, validateKey } from "../connection/find-connection.ts";
import { CommandError } from "../exit/command-error.ts";
import type { Io } from "../io.ts";
import { minutesText, printable } from "../terminal.ts";
import { openInBrowser, startBrowserSignIn } from "./browser-sign-in.ts";

type Terminal = Pick<Io, "stdin" | "stderr">;

type PromptOptions = { hidden?: boolean; signal?: AbortSignal };

/**
 * Reads a line from a terminal. `hidden` does not show what is typed. Throws interrupted on Ctrl-C and Ctrl-D, and when
 * `signal` aborts.
 */
async function prompt(
  { stdin, stderr }: Terminal,
  question: string,
  { hidden = false, signal }: PromptOptions = {},
): Promise<string> {
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: hidden ? sink : stderr, terminal: true, historySize: 0 });
  if (hidden) stderr.write(question);
  let answered = false;
  try {
    return await new Promise<string>((resolve, reject) => {
      signal?.addEventListener("abort", () => lines.close());
      lines.once("SIGINT", () => reject(interrupted())).once("close", () => reject(interrupted()));
      lines.question(hidden ? "" : question, (answer) => {
        answered = true;
        resolve(answer);
      });
    });
  } finally {
    lines.close();
    // A visible answer already ended its line on the terminal.
    if (hidden || !answered) stderr.write("\n");
  }
}

const maxBytes = 16 * 1024;

/** Returns the non-empty lines of standard input. Reads 16 KiB at most. */
async function pipedLines({ stdin }: Pick<Io, "stdin">): Promise<string[]> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk));
    bytes += chunks.at(-1)?.length ?? 0;
    if (bytes > maxBytes) break;
  }
  const text = Buffer.concat(chunks).subarray(0, maxBytes).toString("utf8");
  return text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function interrupted(): CommandError {
  return new CommandError("interrupted", "Nothing was saved.");
}

/**
 * Reads the address and the key, checks them with `GET /v1/me` and saves them. If the service refuses the key, the
 * earlier login stays.
 */
export async function login(io: Io, options: { url?: string }): Promise<void> {
  const { env, stdin, stderr } = io;
  const path = credentialsPath(io);
  const url = options.url ?? (env.VIDEO_TO_JSON_URL?.trim() || undefined);
  const known = url ?? (await readCredentials(path).catch(() => undefined))?.url;
  const { url: baseUrl, apiKey } = await (stdin.isTTY ? promptFor : readFrom)(io, { url, known });
  if (isUnencrypted(baseUrl))
    stderr.write(`Warning: ${baseUrl} is not encrypted. Others on the network can read the key.\n`);
  // A person waits, and a mistyped address is likely, so the command fails soon.
  const account = await createClient({ baseUrl, apiKey, retries: 1 }).account();
  await writeCredentials(path, { url: baseUrl, apiKey });
  stderr.write(
    `Logged in at ${baseUrl} as ${printable(account.email)}; ${minutesText(account.seconds_remaining)} left.\n`,
  );
  stderr.write(`The key is saved in ${path}. Only you can read the file.\n`);
  if (env.VIDEO_TO_JSON_API_KEY) {
    stderr.write("VIDEO_TO_JSON_API_KEY is set and takes precedence over the saved key.\n");
  }
}

/** `url` comes from an option or the environment. `known` is the address that the prompt proposes. */
type Address = { url: string | undefined; known: string | undefined };

async function promptFor(terminal: Io, { url, known }: Address): Promise<Credentials> {
  const proposal = known ? ` [${known}]` : "";
  const address = validateAddress(url ?? ((await prompt(terminal, `Address${proposal}: `)).trim() || (known ?? "")));
  const signIn = await startBrowserSignIn(address);
  if (signIn === undefined) {
    return { url: address, apiKey: validateKey(await prompt(terminal, "Key (not shown): ", { hidden: true })) };
  }
  const cameBack = new AbortController();
  try {
    terminal.stderr.write(`Sign in at this address, which opens in your browser:\n${signIn.url}\n`);
    openInBrowser(terminal.platform, signIn.url);
    const question = "If the browser is elsewhere, paste the address that it ends at. Or paste a key (not shown): ";
    const typed = prompt(terminal, question, { hidden: true, signal: cameBack.signal });
    const answer = await Promise.race([signIn.answer, typed]);
    if (typeof answer !== "string") return { url: address, apiKey: await signIn.fetchKey(answer) };
    const pasted = URL.canParse(answer.trim()) ? new URL(answer.trim()).searchParams : undefined;
    return { url: address, apiKey: pasted ? await signIn.fetchKey(pasted) : validateKey(answer) };
  } finally {
    cameBack.abort();
    signIn.close();
  }
}

async function readFrom({ stdin }: Io, { url, known }: Address): Promise<Credentials> {
  const lines = await pipedLines({ stdin });
  const isAddress = (line: string) => /^https?:\/\//i.test(line);
  const address = url ?? lines.find(isAddress) ?? known;
  if (address === undefined) {
    throw new CommandError("wrong_usage", "There is no address. Give --url, or set VIDEO_TO_JSON_URL.");
  }
  const key = lines.find((line) => !isAddress(line));
  if (key === undefined) throw new CommandError("unauthorised", "Standard input contains no key. Pipe the key in.");
  return { url: validateAddress(address), apiKey: validateKey(key) };
}

/** Deletes the saved login, if there is one. */
export async function logout(io: Pick<Io, "env" | "platform" | "home" | "stderr">): Promise<void> {
  const removed = await removeCredentials(credentialsPath(io));
  io.stderr.write(
    removed
      ? "The saved key is deleted. The key itself stays valid until it is revoked.\n"
      : "There was no saved key.\n",
  );
  if (io.env.VIDEO_TO_JSON_API_KEY) io.stderr.write("VIDEO_TO_JSON_API_KEY is still set.\n");
}

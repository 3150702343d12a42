import { randomUUID } from "node:crypto";
import { chmod, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { Refusal } from "../exit/refusal.ts";
import type { Io } from "../io.ts";

/** A login that is kept: the service's address, and the key that belongs there. */
export type Credentials = { url: string; apiKey: string };

type Place = Pick<Io, "env" | "platform" | "home">;

/** Where the login is kept: `credentials.json` in the platform's directory for settings. */
export function credentialsPath({ env, platform, home }: Place): string {
  // What is not absolute is to be ignored (XDG Base Directory Specification).
  const own = (path: string | undefined) => (path && isAbsolute(path) ? path : undefined);
  const settings =
    platform === "win32"
      ? (own(env.APPDATA) ?? join(home, "AppData", "Roaming"))
      : (own(env.XDG_CONFIG_HOME) ?? join(home, ".config"));
  return join(settings, "video-to-json", "credentials.json");
}

/** The login at a path, or undefined when there is none. A file that others may read is closed to them first. */
export async function readCredentials(path: string): Promise<Credentials | undefined> {
  let text: string;
  try {
    await closeToOthers(path);
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (isCode(cause, "ENOENT") || isCode(cause, "ENOTDIR")) return undefined;
    throw new Refusal(
      "unauthorised",
      `The login cannot be read (${codeOf(cause)}): ${path}. Make it yours, or remove it.`,
      {
        cause,
      },
    );
  }
  const kept = parsed(text);
  if (typeof kept?.url === "string" && typeof kept.api_key === "string") return { url: kept.url, apiKey: kept.api_key };
  throw new Refusal("unauthorised", `The login is damaged: ${path}. Run \`video-to-json login\` again.`);
}

/** Keeps a login: whole or not at all, for its owner alone (file mode 600, directory 700). Throws not_written. */
export async function writeCredentials(path: string, { url, apiKey }: Credentials): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await chmod(dirname(path), 0o700);
    const file = await open(aside, "wx", 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ url, api_key: apiKey }, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(aside, path);
  } catch (cause) {
    await rm(aside, { force: true }).catch(() => {});
    throw new Refusal(
      "not_written",
      `The login cannot be kept (${codeOf(cause)}): ${path}. Make its directory writable, or set VIDEO_TO_JSON_API_KEY and VIDEO_TO_JSON_URL.`,
      { cause },
    );
  }
}

/** Forgets a login; says whether there was one. Throws not_written. */
export async function removeCredentials(path: string): Promise<boolean> {
  try {
    await rm(path);
    return true;
  } catch (cause) {
    if (isCode(cause, "ENOENT") || isCode(cause, "ENOTDIR")) return false;
    throw new Refusal("not_written", `The login cannot be removed (${codeOf(cause)}): ${path}. Remove it by hand.`, {
      cause,
    });
  }
}

async function closeToOthers(path: string): Promise<void> {
  const { mode } = await stat(path);
  // On Windows modes say nothing; a file of somebody else's cannot be changed, and reading it will tell.
  if (mode & 0o077) await chmod(path, 0o600).catch(() => {});
}

function parsed(text: string): { url?: unknown; api_key?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isCode(error: unknown, code: string): boolean {
  return codeOf(error) === code;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

import { chmod, mkdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { isJsonObject } from "@video-to-json/contract";
import { CommandError } from "../exit/command-error.ts";
import { codeOf, writeAtomically } from "../files/write-atomically.ts";
import type { Io } from "../io.ts";

/** A saved login: the service's address and a key for it. */
export type Credentials = { url: string; apiKey: string };

type Place = Pick<Io, "env" | "platform" | "home">;

/** Returns the path of the saved login: `video-to-json/credentials.json` in the user's settings directory. */
export function credentialsPath({ env, platform, home }: Place): string {
  // The XDG Base Directory Specification says to ignore relative paths.
  const absolute = (path: string | undefined) => (path && isAbsolute(path) ? path : undefined);
  const settings =
    platform === "win32"
      ? (absolute(env.APPDATA) ?? join(home, "AppData", "Roaming"))
      : (absolute(env.XDG_CONFIG_HOME) ?? join(home, ".config"));
  return join(settings, "video-to-json", "credentials.json");
}

/**
 * Reads the saved login. Returns undefined when there is no file. Makes the file private if other users can read it.
 * Throws unauthorised when the file is unreadable or damaged.
 */
export async function readCredentials(path: string): Promise<Credentials | undefined> {
  let text: string;
  try {
    await makePrivate(path);
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (isCode(cause, "ENOENT") || isCode(cause, "ENOTDIR")) return undefined;
    throw new CommandError(
      "unauthorised",
      `The saved login cannot be read (${codeOf(cause)}): ${path}. Change its owner, or delete it.`,
      {
        cause,
      },
    );
  }
  const saved = parseObject(text);
  if (typeof saved?.url === "string" && typeof saved.api_key === "string") {
    return { url: saved.url, apiKey: saved.api_key };
  }
  throw new CommandError("unauthorised", `The saved login is damaged: ${path}. Run \`video-to-json login\` again.`);
}

/** Saves a login atomically, readable by its owner only (file mode 600, directory 700). Throws not_written. */
export async function writeCredentials(path: string, { url, apiKey }: Credentials): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await chmod(dirname(path), 0o700);
    await writeAtomically(path, `${JSON.stringify({ url, api_key: apiKey }, null, 2)}\n`, 0o600);
  } catch (cause) {
    throw new CommandError(
      "not_written",
      `The login cannot be saved (${codeOf(cause)}): ${path}. Make its directory writable, or set VIDEO_TO_JSON_API_KEY and VIDEO_TO_JSON_URL.`,
      { cause },
    );
  }
}

/** Deletes the saved login. Returns whether there was one. Throws not_written. */
export async function removeCredentials(path: string): Promise<boolean> {
  try {
    await rm(path);
    return true;
  } catch (cause) {
    if (isCode(cause, "ENOENT") || isCode(cause, "ENOTDIR")) return false;
    throw new CommandError(
      "not_written",
      `The saved login cannot be deleted (${codeOf(cause)}): ${path}. Delete it by hand.`,
      {
        cause,
      },
    );
  }
}

async function makePrivate(path: string): Promise<void> {
  const { mode } = await stat(path);
  // Windows has no modes, and only the owner can change the mode. Reading reports any real problem.
  if (mode & 0o077) await chmod(path, 0o600).catch(() => {});
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isCode(error: unknown, code: string): boolean {
  return codeOf(error) === code;
}

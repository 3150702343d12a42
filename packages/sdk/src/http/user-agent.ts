import { version } from "../generated/version.gen.ts";

/** Returns the User-Agent: this package and its version, then the runtime and its version if it names itself. */
export function userAgent(): string {
  const versions: Partial<Record<string, string>> = globalThis.process?.versions ?? {};
  // Bun and Deno also name the version of Node that they imitate.
  const runtime = ["bun", "deno", "node"].find((name) => versions[name] !== undefined);
  return `video-to-json/${version}${runtime === undefined ? "" : ` ${runtime}/${versions[runtime]}`}`;
}

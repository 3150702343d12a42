import { createHash, randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClipEvidence } from "../clips/answer-clip.ts";
import type { Evidence } from "../evidence/evidence.ts";
import type { Watcher } from "../evidence/watcher.ts";
import type { FileStore } from "../files/file-store.ts";
import type { StoredFile } from "../files/stored-file.ts";
import { ApiError, invalidArgument, noSuchFile } from "../protocol/api-error.ts";
import type { Content, Part } from "./content.ts";

/** A video of the request, with its evidence. `file` is undefined for inline data. */
export type RequestVideo = {
  part: Part;
  file: StoredFile | undefined;
  evidence(): Promise<Evidence>;
  /** The evidence of the video as a clip with a clock. */
  clip(withoutText: boolean): Promise<ClipEvidence>;
};

type VideoDeps = {
  readonly files: FileStore;
  readonly watcher: Watcher;
  /** The directory for inline videos while they are examined. */
  readonly dir: string;
};

/** Returns the videos of a request in order. Throws Gemini's refusal of a file that is missing, not ready or not a video. */
export function findVideos(deps: VideoDeps, contents: readonly Content[], owner: string): RequestVideo[] {
  const parts = contents.flatMap((content) => content.parts);
  return parts.flatMap((part): RequestVideo[] => {
    if (part.fileData) {
      const file = findFile(deps, part.fileData.fileUri ?? "", owner);
      checkMimeType(part.fileData.mimeType ?? file.mimeType);
      const clip = (withoutText: boolean) =>
        deps.watcher.watchClip(file.path, file.sha256, new AbortController().signal, withoutText);
      return [{ part, file, evidence: () => file.evidence, clip }];
    }
    if (part.inlineData) {
      checkMimeType(part.inlineData.mimeType ?? "");
      const bytes = Buffer.from(part.inlineData.data ?? "", "base64");
      const examine = <T>(how: Examine<T>) => examineBytes(deps, bytes, how);
      const evidence = () => examine(({ watch }, ...file) => watch(...file).evidence);
      const clip = (withoutText: boolean) => examine(({ watchClip }, ...file) => watchClip(...file, withoutText));
      return [{ part, file: undefined, evidence, clip }];
    }
    return [];
  });
}

const mimeTypes = new Set(
  ["mp4", "mpeg", "mov", "quicktime", "avi", "x-flv", "mpg", "webm", "wmv", "3gpp"].map((name) => `video/${name}`),
);

function checkMimeType(mimeType: string): void {
  const bare = mimeType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (!mimeTypes.has(bare)) throw invalidArgument(`Unsupported MIME type: ${mimeType}`);
}

function findFile({ files }: VideoDeps, uri: string, owner: string): StoredFile {
  const id = /^https?:\/\/[^/]+(?:\/[^?#]*)?\/v1(?:beta)?\/files\/([^/?#]+)$/.exec(uri)?.[1];
  if (id === undefined) throw invalidArgument(`Invalid or unsupported file uri: ${uri}`);
  if (!/^[a-z0-9-]{1,40}$/.test(id)) throw noSuchFile(id);
  const file = files.find(id, owner);
  if (file.state !== "ACTIVE") throw notActive(file);
  return file;
}

/** Returns the refusal of a file that is PROCESSING or FAILED. */
export function notActive({ id }: StoredFile): ApiError {
  const message = `The File ${id} is not in an ACTIVE state and usage is not allowed.`;
  return new ApiError(400, "FAILED_PRECONDITION", message);
}

type Examine<T> = (watcher: Watcher, path: string, sha256: string, signal: AbortSignal) => Promise<T>;

async function examineBytes<T>({ watcher, dir }: VideoDeps, bytes: Buffer, examine: Examine<T>): Promise<T> {
  const path = join(dir, randomBytes(24).toString("base64url"));
  const stopping = new AbortController();
  try {
    await writeFile(path, bytes);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return await examine(watcher, path, sha256, stopping.signal);
  } finally {
    stopping.abort();
    await rm(path, { force: true });
  }
}

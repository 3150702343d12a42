import { createHash, randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClipEvidence, Evidence } from "../evidence/evidence.ts";
import type { Watcher } from "../evidence/watcher.ts";
import type { FileStore, StoredFile } from "../files/files.ts";
import { ApiError, invalidArgument, noSuchFile } from "../protocol/reply.ts";
import type { Content, Part } from "./generate-request.ts";

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
      const { signal } = new AbortController();
      const clip = (withoutText: boolean) => deps.watcher.watchClip(file.path, file.sha256, signal, withoutText);
      return [{ part, file, evidence: () => file.evidence, clip }];
    }
    if (!part.inlineData) return [];
    checkMimeType(part.inlineData.mimeType ?? "");
    const bytes = Buffer.from(part.inlineData.data ?? "", "base64");
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const examine = async <T>(how: (path: string, signal: AbortSignal) => Promise<T>): Promise<T> => {
      const path = join(deps.dir, randomBytes(24).toString("base64url"));
      const stopping = new AbortController();
      try {
        await writeFile(path, bytes);
        return await how(path, stopping.signal);
      } finally {
        stopping.abort();
        await rm(path, { force: true });
      }
    };
    const evidence = () => examine((path, signal) => deps.watcher.watch(path, sha256, signal).evidence);
    const clip = (withoutText: boolean) =>
      examine((path, signal) => deps.watcher.watchClip(path, sha256, signal, withoutText));
    return [{ part, file: undefined, evidence, clip }];
  });
}

const mimeTypes = ["mp4", "mpeg", "mov", "quicktime", "avi", "x-flv", "mpg", "webm", "wmv", "3gpp"];

function checkMimeType(mimeType: string): void {
  const bare = mimeType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (!mimeTypes.some((name) => bare === `video/${name}`)) throw invalidArgument(`Unsupported MIME type: ${mimeType}`);
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

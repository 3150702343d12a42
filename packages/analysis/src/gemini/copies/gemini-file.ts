import { isJsonObject } from "@video-to-json/contract";

/** Gemini's description of an uploaded file. */
export type GeminiFile = {
  name: string;
  uri: string | null;
  displayName: string;
  /** Null when Gemini does not report it. */
  sizeBytes: number | null;
  createTime: string;
  state: string;
  /** Why processing failed, if Gemini says so. */
  error: { code: number | null; message: string } | null;
};

/** Reads a File resource. Returns null when it is malformed, or when its name would change the path of a URL. */
export function readGeminiFile(value: unknown): GeminiFile | null {
  if (!isJsonObject(value) || typeof value.name !== "string" || !/^files\/[A-Za-z0-9_-]{1,128}$/.test(value.name))
    return null;
  const size = value.sizeBytes === undefined ? Number.NaN : Number(value.sizeBytes);
  return {
    name: value.name,
    uri: typeof value.uri === "string" && value.uri !== "" ? value.uri : null,
    displayName: textOrEmpty(value.displayName),
    sizeBytes: Number.isSafeInteger(size) ? size : null,
    createTime: textOrEmpty(value.createTime),
    state: textOrEmpty(value.state),
    error: isJsonObject(value.error)
      ? {
          code: typeof value.error.code === "number" ? value.error.code : null,
          message: textOrEmpty(value.error.message),
        }
      : null,
  };
}

/** Reads the `{file}` with which Gemini answers the last chunk of an upload. */
export function readUploadedFile(text: string): GeminiFile | null {
  try {
    const body: unknown = JSON.parse(text);
    return isJsonObject(body) ? readGeminiFile(body.file) : null;
  } catch {
    return null;
  }
}

function textOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

import { invalidArgument } from "../protocol/api-error.ts";
import { readMessage, type Shape } from "../protocol/message.ts";

/** The properties of a file that the caller sends when the upload starts. */
export type UploadMetadata = {
  name: string | undefined;
  displayName: string | undefined;
  mimeType: string | undefined;
};

/** Reads `{"file": {...}}`. Throws INVALID_ARGUMENT for unknown fields and invalid names. */
export function readUploadMetadata(body: Record<string, unknown>): UploadMetadata {
  const { file } = readMessage(createFileRequest, body);
  const { name, displayName, mimeType } = (file ?? {}) as Partial<Record<string, string>>;
  if (name !== undefined && !/^files\/[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name)) {
    throw invalidArgument(
      "* CreateFileRequest.file.name: File names must be `files/` and at most 40 lowercase letters, digits or dashes, with no dash at either end",
    );
  }
  if (displayName !== undefined && [...displayName].length > 512) {
    throw invalidArgument("* CreateFileRequest.file.display_name: must be at most 512 characters long");
  }
  return { name, displayName, mimeType };
}

const file: Shape = {
  name: { type: "string" },
  displayName: { type: "string" },
  mimeType: { type: "string" },
  sizeBytes: { type: "int64" },
  createTime: { type: "string" },
  updateTime: { type: "string" },
  expirationTime: { type: "string" },
  sha256Hash: { type: "bytes" },
  uri: { type: "string" },
  downloadUri: { type: "string" },
  state: { type: "string" },
  source: { type: "string" },
  error: { type: "any" },
  videoMetadata: { type: "any" },
};

const createFileRequest: Shape = { file: { type: () => file } };

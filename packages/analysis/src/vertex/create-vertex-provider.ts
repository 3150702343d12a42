import type { OperatedProvider } from "../analysis-provider.ts";
import { geminiCapabilities } from "../gemini/capabilities.ts";
import { openConnection, type ProxySettings } from "../gemini/connection.ts";
import { createGoogleProvider, type GeminiOptions } from "../gemini/create-gemini-provider.ts";
import { GeminiError } from "../gemini/gemini-error.ts";
import { refusedUpload } from "../gemini/refusal.ts";
import { openSdk } from "../gemini/sdk.ts";
import { openTokenSource } from "./access-token.ts";
import { openObjectStorage } from "./object-storage.ts";

export type VertexOptions = Omit<GeminiOptions, "apiKey" | "baseUrl" | "headers" | "allowFreeTier"> & {
  project: string;
  /** A region such as `europe-west4`, or `global`. */
  location: string;
  /** The bucket for videos that do not go inside questions. Without one, videos are made small enough to go there. */
  bucket: string | undefined;
  /** The file with the key of a service account; without one, the machine's own account. */
  keyFile: string | undefined;
  /** Other addresses than Google's: a private endpoint. */
  baseUrl: string | undefined;
  storageUrl: string;
  proxy?: ProxySettings;
};

const noBucket = "No bucket is set (VERTEX_BUCKET), so videos go inside questions.";

/**
 * Creates the provider for Gemini on Vertex AI: the same questions in a region of Google Cloud, with the access tokens of a
 * service account, and with Cloud Storage for large videos. Close it to end its connections. Throws when an address is not a URL.
 */
export function createVertexProvider(options: VertexOptions): OperatedProvider {
  const { project, location, bucket, keyFile, storageUrl, proxy, maxInlineBytes = 0 } = options;
  const host = location === "global" ? "aiplatform.googleapis.com" : `${location}-aiplatform.googleapis.com`;
  const baseUrl = options.baseUrl ?? `https://${host}`;
  const models = `v1/projects/${project}/locations/${location}/publishers/google`;
  if (bucket === undefined && maxInlineBytes === 0)
    throw new Error("Without VERTEX_BUCKET, videos go inside questions: GEMINI_MAX_INLINE_BYTES cannot be 0.");
  return createGoogleProvider({ ...options, allowFreeTier: true }, (given) => {
    const token = openTokenSource(keyFile, proxy);
    const connection = openConnection({ ...given, apiKey: "none", token, baseUrl, proxy });
    const deps = { ...given, connection };
    // Vertex AI stores no question unless the project asks for it, and does not know the member that forbids it.
    const sdk = openSdk(connection, models, false);
    if (bucket !== undefined) {
      const storage = openObjectStorage(deps, { url: storageUrl.replace(/\/+$/, ""), name: bucket });
      const { upload, checkBucket: checkFiles, ...files } = storage;
      return {
        ...{ connection, sdk: { ...sdk, ...files }, upload, hasFiles: true, checkFiles },
        capabilities: geminiCapabilities,
        cancelUploads: async () => {},
      };
    }
    const files = {
      getFile: async () => ({}),
      deleteFile: async () => {},
      listFiles: async () => {
        await token.get();
        return { files: [] };
      },
    };
    return {
      ...{ connection, sdk: { ...sdk, ...files }, hasFiles: false },
      capabilities: {
        ...geminiCapabilities,
        media: { ...geminiCapabilities.media, maxFileBytes: maxInlineBytes },
      },
      // The video then goes inside its question after all.
      upload: (_video, context) =>
        Promise.reject(refusedUpload(given, context, new GeminiError(noBucket, { status: 404 }))),
      cancelUploads: async () => {},
    };
  });
}

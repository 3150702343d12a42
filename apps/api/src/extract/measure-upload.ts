import type { ApiMetrics } from "@video-to-json/runtime/telemetry";
import type { Upload } from "./extract-request.ts";

/** The metrics of uploads. */
export type UploadMetrics = Pick<ApiMetrics, "uploads" | "uploadBytes" | "uploadRate">;

/** Counts an upload when it has ended. Returns or throws what `storing` does. */
export async function measureUpload(metrics: UploadMetrics, storing: Promise<Upload>): Promise<Upload> {
  const startedAt = performance.now();
  try {
    const upload = await storing;
    metrics.uploads.inc({ outcome: "stored" });
    metrics.uploadBytes.inc(upload.bytes);
    metrics.uploadRate.observe((1000 * upload.bytes) / Math.max(1, performance.now() - startedAt));
    return upload;
  } catch (error) {
    metrics.uploads.inc({ outcome: "failed" });
    throw error;
  }
}

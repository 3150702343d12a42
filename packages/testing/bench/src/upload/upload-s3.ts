import { join } from "node:path";
import { openDatabase } from "@video-to-json/database";
import { startStack } from "@video-to-json/stack";
import { startS3Server } from "@video-to-json/testing/running";
import type { Benchmark, Run } from "../benchmark.ts";
import { median } from "../median.ts";
import type { Figure, Measurement } from "../report/figure.ts";
import { apiSettings, requireSpace, startBareServer, uploadGoals, uploadToApi, uploadToBare } from "./upload.ts";

/** Uploads into a bucket, compared with a server that only sends the same bytes to the same bucket. */
export const uploadS3: Benchmark = {
  name: "upload-s3",
  title: "Upload to S3",
  how: "uploads into a bucket of a local S3 server, one and eight at once, in turns with a bare server that sends the same bytes to it in parts",
  measure: measureUploadToS3,
};

async function measureUploadToS3({ dataDir, env, quick, tell }: Run): Promise<Measurement> {
  const megabytes = quick ? 16 : 64;
  const rounds = quick ? 1 : 2;
  // Everything is uploaded twice, and the bucket is deleted at the end.
  requireSpace(dataDir, 2 * (rounds + 1) * 9 * megabytes);
  tell("Starting an S3 server, Postgres, Redis, an API and a bare server …");
  await using s3 = await startS3Server({ directory: join(dataDir, "s3"), logFile: join(dataDir, "s3.log") });
  const STORAGE_URL = `s3://${s3.bucket}/uploads?endpoint=${s3.endpoint}`;
  const settings = { ...apiSettings, ...env, ...s3.env, STORAGE_URL };
  const stack = await startStack({ dataDir, apis: 1, workers: 0, env: settings, detached: false });
  const database = openDatabase(stack.databaseUrl, { maxConnections: 1, applicationName: "bench" });
  const script = { url: new URL("./bare-bucket-server.ts", import.meta.url), args: [s3.endpoint, s3.bucket] };
  const bare = await startBareServer(join(dataDir, "bare"), { ...script, env: s3.env });
  try {
    await uploadToBare(bare, { megabytes: 16, together: 1, path: "/" });
    await uploadToApi(stack, database, { megabytes: 16, together: 1 });
    const figures: Figure[] = [];
    for (const together of [1, 8]) {
      tell(`Uploading ${together} × ${megabytes} MiB at once …`);
      const bytes = together * megabytes * 1024 ** 2;
      const speeds: { bare: number[]; api: number[] } = { bare: [], api: [] };
      let peakMb = 0;
      for (let round = 0; round < rounds; round++) {
        speeds.bare.push(bytes / 1000 / (await uploadToBare(bare, { megabytes, together, path: "/" })).ms);
        const api = await uploadToApi(stack, database, { megabytes, together });
        speeds.api.push(bytes / 1000 / api.ms);
        peakMb = Math.max(peakMb, api.peakMb);
      }
      figures.push(
        {
          what: `speed, ${together} at once`,
          unit: "MB/s",
          measured: median(speeds.api),
          beside: { what: "bare server", measured: median(speeds.bare) },
          goal: { of: "ratio", least: uploadGoals.ratio },
        },
        {
          what: `resident memory of the API at most, ${together} at once`,
          unit: "MB",
          measured: peakMb,
          goal: { of: "measured", most: uploadGoals.peakMb },
        },
      );
    }
    const conditions = [`${megabytes} MiB each`, `median of ${rounds} turns`, "the S3 interface of OpenStack Swift"];
    return { figures, conditions };
  } finally {
    bare.stop();
    await database.close();
    await stack.stop();
  }
}

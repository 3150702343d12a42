import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { EmulatorState, S3Server } from "@video-to-json/testing/running";
import { findRedisLeftovers } from "./find-redis-leftovers.ts";

type Places = {
  /** Directory with `storage` and `scratch` in it. */
  dataDir: string;
  redisUrl: string;
  /** The server of the bucket, if storage is one. */
  s3: Pick<S3Server, "contents"> | undefined;
  emulator: { state(): Promise<Pick<EmulatorState, "files" | "bytes" | "openUploads">> };
};

/** Returns the files, copies and uploads of videos and the entries of the queue that are left, one line each. */
export async function findLeftovers({ dataDir, redisUrl, emulator, s3 }: Places): Promise<string[]> {
  const names = async (place: string) => (await readdir(join(dataDir, place))).map((name) => `${place}/${name}`);
  const { files, openUploads } = await emulator.state();
  const copies = files + openUploads > 0 ? [`${files} copies and ${openUploads} uploads at the provider`] : [];
  const inBucket = ((await s3?.contents()) ?? []).map((name) => `bucket/${name}`);
  const onDisk = [...(await names("storage")), ...(await names("scratch"))];
  return [...onDisk, ...inBucket, ...copies, ...(await findRedisLeftovers(redisUrl))];
}

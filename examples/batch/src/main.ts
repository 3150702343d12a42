import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createClient, isVideoToJsonError } from "video-to-json";

const schema = {
  title: "string?",
  main_color: "red|green|blue|other — of the longest scene",
  has_sound: "boolean",
} as const;

const [folder, concurrency = "4"] = process.argv.slice(2);
if (!folder) {
  console.error("npm start -- <folder> [how many videos at a time, by default 4]");
  process.exit(2);
}

const client = createClient({
  logger: ({ level, message, path }) => {
    if (level === "warn") console.error(path ?? "", message);
  },
});

/** The same file with the same schema has the same key, so a second start within 24 hours costs nothing. */
async function keyOf(path: string): Promise<string> {
  const { size, mtimeMs } = await stat(path);
  return createHash("sha256")
    .update(JSON.stringify([path, size, mtimeMs, schema]))
    .digest("hex");
}

/** Returns a line of JSON about one video. Only an error that every video would have ends the batch. */
async function lineFor(name: string): Promise<string> {
  const path = join(folder as string, name);
  try {
    const { id, data } = await client.extract({ video: path, schema, idempotencyKey: await keyOf(path) });
    return JSON.stringify({ name, job: id, data });
  } catch (error) {
    if (isVideoToJsonError(error) && ["unauthorised", "out_of_minutes"].includes(error.code)) throw error;
    return JSON.stringify({ name, error: isVideoToJsonError(error) ? error.code : String(error) });
  }
}

const names = (await readdir(folder)).filter((name) => /\.(mp4|mov|webm|mkv)$/i.test(name)).sort();
// The loops share one iterator: each takes the next name when it has finished the last one.
const queue = names.values();
const loops = Array.from({ length: Number(concurrency) }, async () => {
  for (const name of queue) console.log(await lineFor(name));
});
await Promise.all(loops);

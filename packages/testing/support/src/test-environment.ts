import { fileURLToPath } from "node:url";

/** The directory of a minimal ffmpeg, which `./scripts/setup` sets if it was built. Undefined: ffmpeg is on `PATH`. */
export const ffmpegDirectory = process.env.FFMPEG_DIRECTORY;

/** Whether the slowest tests run too: `./scripts/test --all`. */
export const runsAllTests = process.env.VIDEO_TO_JSON_TEST_ALL === "1";

/** The absolute path of the repository, without a slash at the end. */
export const repositoryRoot = fileURLToPath(new URL("../../../..", import.meta.url)).replace(/\/$/, "");

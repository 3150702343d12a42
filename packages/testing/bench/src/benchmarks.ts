import type { Benchmark } from "./benchmark.ts";
import { held } from "./held/held.ts";
import { money } from "./money/money.ts";
import { overhead } from "./overhead/overhead.ts";
import { probe } from "./probe/probe.ts";
import { provider } from "./provider/provider.ts";
import { readJobs } from "./read-job/read-job.ts";
import { scaleOut } from "./scale-out/scale-out.ts";
import { stages } from "./stages/stages.ts";
import { upload } from "./upload/upload.ts";
import { uploadS3 } from "./upload/upload-s3.ts";
import { validation } from "./validation/validation.ts";
import { wakeUp } from "./wake-up/wake-up.ts";

/** All benchmarks, in the order of docs/performance.md. */
export const benchmarks: readonly Benchmark[] = [
  overhead,
  stages,
  wakeUp,
  held,
  upload,
  uploadS3,
  provider,
  probe,
  validation,
  money,
  readJobs,
  scaleOut,
];

import type { Benchmark } from "./benchmark.ts";
import { held } from "./measurements/held.ts";
import { money } from "./measurements/money.ts";
import { overhead } from "./measurements/overhead.ts";
import { probe } from "./measurements/probe.ts";
import { provider } from "./measurements/provider.ts";
import { readJobs } from "./measurements/read-job.ts";
import { scaleOut } from "./measurements/scale-out.ts";
import { stages } from "./measurements/stages.ts";
import { upload, uploadS3 } from "./measurements/upload.ts";
import { validation } from "./measurements/validation.ts";
import { wakeUp } from "./measurements/wake-up.ts";

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

import { Ajv } from "ajv";
import { repeat } from "../latencies.ts";
import { answerTasks } from "../processes/answer-tasks.ts";
import { runBareJob } from "./bare-job.ts";
import { schema } from "./question.ts";

// The bare script: a process that does the work of the service without anything around it. It runs as many jobs as its
// parent asks for, some at once, and answers with their times in milliseconds.
const [providerUrl = "", ffprobe = "", clip = ""] = process.argv.slice(2);
const deps = { providerUrl, ffprobe, clip, validate: new Ajv().compile(schema) };

answerTasks(({ jobs, inFlight }: { jobs: number; inFlight: number }) => repeat(() => runBareJob(deps), jobs, inFlight));

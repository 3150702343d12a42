import { isUuid, type JobProgress } from "@video-to-json/contract";
import { unrefDelay, withTimeLimit } from "@video-to-json/runtime/timing";
import { QueueEvents } from "bullmq";
import { openRedisConnection } from "../redis/redis-connection.ts";
import { extractionQueue, parseProgress } from "./ticket.ts";

type Options = { redisUrl: string; prefix: string; report(error: unknown): void };

type Handlers = {
  /** The queue has no more work for the job, whether it succeeded or failed. */
  finished(jobId: string): void;
  progress(jobId: string, progress: JobProgress): void;
  /** The listener has connected or reconnected. Earlier events may be lost. */
  connected(): void;
};

/** The process's only listener to the events of the queue. */
export type JobEvents = { close(): Promise<void> };

/** Starts the listener and restarts it after every error. Events are hints: they may be lost, late or wrong. */
export function openJobEvents(options: Options, handlers: Handlers): JobEvents {
  // QueueEvents reads on a duplicate of this connection, because reading blocks.
  const connection = openRedisConnection(options, "background");
  const events = new QueueEvents(extractionQueue, {
    connection: connection.redis,
    prefix: options.prefix,
    skipVersionCheck: true,
    autorun: false,
    blockingTimeout: 5_000,
  });
  let closed = false;

  function report(error: unknown): void {
    if (!closed) options.report(error);
  }

  events.on("error", report);
  // A ticket without a job to run returns no id.
  events.on("completed", ({ returnvalue: jobId }) => {
    if (isUuid(jobId)) handlers.finished(jobId);
  });
  events.on("progress", ({ data }) => {
    const parsed = parseProgress(data);
    if (parsed) handlers.progress(parsed.jobId, parsed.progress);
  });
  void watchConnection();
  void keepListening();

  async function watchConnection(): Promise<void> {
    try {
      const reader = await events.getBackend().client;
      reader.on("ready", handlers.connected);
      handlers.connected();
    } catch (error) {
      report(error);
    }
  }

  async function keepListening(): Promise<void> {
    while (!closed) {
      // An event that cannot be parsed ends the run. The next run starts after it.
      await events.run().catch(report);
      if (!closed) await unrefDelay(200);
      if (!closed) handlers.connected();
    }
  }

  return {
    async close() {
      closed = true;
      const stopped = events.close().catch(() => undefined);
      // `events.close` waits for the first connection, which may never come. This ends that wait.
      await events.getBackend().close(true);
      await withTimeLimit(1_000, "Closing the listener", stopped).catch(() => undefined);
      connection.close();
    },
  };
}

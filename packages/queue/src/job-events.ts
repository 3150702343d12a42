import type { JobProgress } from "@video-to-json/contract";
import { QueueEvents } from "bullmq";
import { extractionQueue } from "./extraction-job.ts";
import { parseProgress } from "./progress-event.ts";
import { connect } from "./redis-connection.ts";
import { timePasses, within } from "./time-limit.ts";

type Options = { redisUrl: string; prefix: string; report(error: unknown): void };

type Handlers = {
  /** The queue is done with the job, well or badly. */
  ended(jobId: string): void;
  progress(jobId: string, progress: JobProgress): void;
  /** The listener is connected, for the first time or again: what happened before may have passed unheard. */
  connected(): void;
};

/** The process' one listener to what happens in the queue. */
export type JobEvents = { answers(): Promise<void>; close(): Promise<void> };

/** Starts listening and keeps at it through every fault. Events are hints: they may be lost, late or untrue. */
export function listenToJobs(options: Options, handlers: Handlers): JobEvents {
  const connection = connect(options, "waiting");
  const events = new QueueEvents(extractionQueue, {
    // It reads on a copy of this connection, since reading blocks; the original serves to ask whether Redis answers.
    connection: connection.redis,
    prefix: options.prefix,
    skipVersionCheck: true,
    autorun: false,
    blockingTimeout: 5_000,
  });
  let closed = false;

  events.on("error", (error) => {
    if (!closed) options.report(error);
  });
  events.on("completed", ({ jobId }) => handlers.ended(jobId));
  events.on("failed", ({ jobId }) => handlers.ended(jobId));
  events.on("progress", ({ jobId, data }) => {
    const progress = parseProgress(data);
    if (progress) handlers.progress(jobId, progress);
  });
  void tellWhenConnected();
  void keepListening();

  async function tellWhenConnected(): Promise<void> {
    try {
      const reader = await events.getBackend().client;
      reader.on("ready", handlers.connected);
      handlers.connected();
    } catch (error) {
      if (!closed) options.report(error);
    }
  }

  async function keepListening(): Promise<void> {
    while (!closed) {
      // An event that cannot be read ends the run; the next one begins behind it.
      await events.run().catch((error: unknown) => {
        if (!closed) options.report(error);
      });
      if (!closed) await timePasses(200);
      if (!closed) handlers.connected();
    }
  }

  return {
    answers: connection.answers,
    async close() {
      closed = true;
      const stopped = events.close().catch(() => undefined);
      // Closing waits for a connection that was never made; this does not.
      await events.getBackend().close(true);
      await within(1_000, "Closing the listener", stopped).catch(() => undefined);
      connection.close();
    },
  };
}

import type { Telemetry } from "bullmq";

/** Puts the trace of a request into its ticket, and traces what the queue does. */
export type QueueTelemetry = Telemetry;

/** Loads and creates the telemetry of the queue, for processes that write traces. */
export async function openQueueTelemetry(): Promise<QueueTelemetry> {
  const { BullMQOtel } = await import("bullmq-otel");
  return new BullMQOtel({ tracerName: "bullmq" });
}

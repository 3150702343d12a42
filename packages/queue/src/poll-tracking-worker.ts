import { type Job, Worker } from "bullmq";
import type { ExtractionJobData } from "./extraction-job.ts";

/** A BullMQ worker that notes when the queue last answered its asking for a job: the one sure sign that it consumes. */
export class PollTrackingWorker extends Worker<ExtractionJobData> {
  lastAskedAt = Date.now();

  protected override async moveToActive(token: string, name?: string): Promise<Job<ExtractionJobData>> {
    const job = await super.moveToActive(token, name);
    this.lastAskedAt = Date.now();
    return job;
  }

  /** Ends what `close` is still waiting for when Redis does not answer. */
  async giveUp(): Promise<void> {
    await this.lockManager.close();
    await this.getBackend().close(true);
  }
}

import { Worker } from "bullmq";

/**
 * A BullMQ worker that can be closed while Redis is unavailable. `Worker.close` then waits for ever, and its timer for
 * renewing locks keeps the process alive. BullMQ 6.7 has no public way to stop that timer, so this class uses the
 * protected member `lockManager`.
 */
export class ClosableWorker extends Worker {
  /** Stops what a call of `close` has not stopped yet. Its promise may never settle. */
  async abandon(): Promise<void> {
    await this.lockManager.close();
    await this.getBackend().close(true);
  }
}

import { type BackendFactory, createRedisBackend, type RedisQueueBackend, Worker } from "bullmq";

/**
 * A BullMQ worker whose `resume` leaves no rejection without a listener, and that can be closed while Redis is unavailable. `Worker.close` then waits for ever, and its timer for
 * renewing locks keeps the process alive. BullMQ 6.7 has no public way to stop that timer, so this class uses the
 * protected member `lockManager`.
 */
export class ClosableWorker extends Worker {
  override async run(): Promise<void> {
    await super.run().catch((error: Error) => this.emit("error", error));
  }

  /** Stops what a call of `close` has not stopped yet. Its promise may never settle. */
  async abandon(): Promise<void> {
    await this.lockManager.close();
    await this.getBackend().close(true);
  }
}

/**
 * Returns BullMQ's Redis backend, which also calls `onPoll` each time the queue has answered a worker's request for a
 * job. Only that answer proves that a worker consumes; BullMQ emits no event for it.
 */
export function createPollTrackingBackend(onPoll: () => void): BackendFactory<RedisQueueBackend> {
  return (name, options, connections) => {
    const backend = createRedisBackend(name, options, connections);
    const moveToActive = backend.moveToActive.bind(backend);
    backend.moveToActive = async (token, workerName) => {
      const next = await moveToActive(token, workerName);
      onPoll();
      return next;
    };
    return backend;
  };
}

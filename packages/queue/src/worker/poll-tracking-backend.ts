import { type BackendFactory, createRedisBackend, type RedisQueueBackend } from "bullmq";

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

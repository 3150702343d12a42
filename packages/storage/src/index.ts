export { limitStorageTime, StorageHangs } from "./limit-storage-time.ts";
export { openStorage } from "./open-storage.ts";
export type { Storage } from "./storage.ts";
export { ObjectMissing, StorageUnavailable } from "./storage-errors.ts";

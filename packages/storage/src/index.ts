export { limitStorageTime, StorageHangs } from "./limit-storage-time.ts";
export { openStorage } from "./open-storage.ts";
export { ObjectMissing, type Storage, StorageUnavailable } from "./storage.ts";

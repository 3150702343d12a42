export { openStorage, type Storage } from "./storage.ts";
export { ObjectMissing, StorageUnavailable } from "./storage-errors.ts";

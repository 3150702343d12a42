export { openStorage, type PutOptions, type Storage, type StoredObject } from "./storage.ts";
export { ObjectMissing, StorageFull } from "./storage-errors.ts";

export { openStorage, type Storage } from "./storage.ts";
export { ObjectMissing, StorageFull } from "./storage-errors.ts";

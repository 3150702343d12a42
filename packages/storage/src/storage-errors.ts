/** There is no object under this key: it was deleted, or never put. */
export class ObjectMissing extends Error {
  constructor(key: string, options?: ErrorOptions) {
    super(`There is no object ${key} in storage.`, options);
    this.name = "ObjectMissing";
  }
}

/** The storage has no room for the object. Nothing of it was kept. */
export class StorageFull extends Error {
  constructor(options?: ErrorOptions) {
    super("The storage is full. Free some space or enlarge it.", options);
    this.name = "StorageFull";
  }
}

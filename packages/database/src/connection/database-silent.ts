/** A database that did not answer in time. It counts as unavailable. */
export class DatabaseSilent extends Error {
  readonly code = "DATABASE_SILENT";
  constructor() {
    super("the database did not answer in time");
    this.name = "DatabaseSilent";
  }
}

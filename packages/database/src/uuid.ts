const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text can be the id of anything here; asking Postgres for another is an error, not a miss. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

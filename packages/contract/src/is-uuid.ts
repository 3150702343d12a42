const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns whether a text is a UUID in the usual form with hyphens, upper or lower case. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

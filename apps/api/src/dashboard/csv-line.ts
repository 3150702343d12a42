/**
 * Returns a line of CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front, which
 * the spreadsheet does not show.
 */
export function csvLine(values: readonly (string | number | null)[]): string {
  return `${values.map(field).join(",")}\r\n`;
}

function field(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

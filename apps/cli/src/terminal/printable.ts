/** Puts text on one line and escapes control characters. The meaning of JSON text stays the same. */
export function printable(text: string): string {
  return text
    .replace(/[\r\n\t]+/g, " ")
    .replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** On one line, and without what would steer a terminal; neither changes what a JSON text says. */
export function printable(text: string): string {
  return text
    .replace(/[\r\n\t]+/g, " ")
    .replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

import type { ProblemCode } from "@video-to-json/contract";

/** The input and output of an operator's command. `print` writes a line to standard output. */
export type AdminIo = { readonly env: Readonly<Record<string, string | undefined>>; print(line: string): void };

/** An error that a command itself reports. The message says what is wrong and what to do. */
export class AdminError extends Error {
  readonly code: ProblemCode;

  constructor(code: ProblemCode, message: string) {
    super(message);
    this.name = "AdminError";
    this.code = code;
  }
}

/** Puts text on one line and escapes control characters. The meaning of JSON text stays the same. */
export function printable(text: string): string {
  return text
    .replace(/[\r\n\t]+/g, " ")
    .replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

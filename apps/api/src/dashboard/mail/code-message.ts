import type { Message } from "./open-mailer.ts";

/** Returns the message with a code. The code comes first, so that a preview on a phone shows it. */
export function codeMessage({ to, code, minutes }: { to: string; code: string; minutes: number }): Message {
  return {
    to,
    code,
    subject: `${code} is your code for Video-to-JSON`,
    text: [
      `${code} is your code to sign in to Video-to-JSON.`,
      `It works once, within ${minutes} minutes.`,
      "If you did not request it, ignore this message. Nobody can sign in without the code.",
      "",
    ].join("\n\n"),
  };
}

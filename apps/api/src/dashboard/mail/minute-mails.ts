import { setTimeout as sleep } from "node:timers/promises";
import { type Db, type DueMinuteMail, takeDueMinuteMails } from "@video-to-json/database";
import type { Logger } from "@video-to-json/runtime/telemetry";
import type { Mailer } from "./open-mailer.ts";

type Deps = {
  readonly db: Db;
  readonly log: Pick<Logger, "warn">;
  readonly mailer: Pick<Mailer, "kind" | "send">;
};
type Options = {
  readonly minimumBilledSeconds: number;
  readonly moreMinutes: string;
  readonly publicUrl: string | undefined;
};

const everyMs = 60_000;

/**
 * Looks each minute whether an account or a key has used 80 or 100 percent of its minutes, and sends one mail for each.
 * No request and no job waits for it. Several APIs may do this at once. Without a mail server it does nothing.
 *
 * @returns `close`, which ends the watch.
 */
export function startMinuteMails(deps: Deps, options: Options): { close(): Promise<void> } {
  const closing = new AbortController();
  const { signal } = closing;
  const watch = async () => {
    while (!signal.aborted) {
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {});
      if (!signal.aborted) {
        await sendMinuteMails(deps, options).catch((error) =>
          deps.log.warn({ err: error }, "mails about used minutes cannot be read; trying again"),
        );
      }
    }
  };
  const watching = deps.mailer.kind === "smtp" ? watch() : Promise.resolve();
  return {
    async close() {
      closing.abort();
      await watching;
    },
  };
}

/** Sends the mails about used minutes that are due. Returns how many. */
export async function sendMinuteMails({ db, mailer }: Pick<Deps, "db" | "mailer">, options: Options): Promise<number> {
  const due = await takeDueMinuteMails(db, options.minimumBilledSeconds);
  for (const mail of due) mailer.send({ to: mail.email, ...messageOf(mail, options) });
  return due.length;
}

function messageOf({ keyName, threshold }: DueMinuteMail, { publicUrl, moreMinutes }: Options) {
  const isKey = keyName !== null;
  const whose = isKey ? `The key “${keyName}”` : "Your account";
  const subject = `${threshold === 100 ? "No minutes left" : "Most minutes are used"}: ${isKey ? "an API key" : "your account"}`;
  const what = isKey ? "its minutes of this month" : "its minutes";
  const state =
    threshold === 100
      ? `${whose} has used up ${what}. New extractions are refused, and nothing is charged for them.`
      : `${whose} has used 80 percent of ${what}.`;
  const more = isKey ? "You can change the limit of the key in the dashboard." : moreMinutes;
  const page = publicUrl?.replace(/\/$/, "");
  const link = page === undefined ? "" : `\n${page}/dashboard/${isKey ? "keys" : "usage"}\n`;
  const off = "You can switch these mails off in the settings of the dashboard.";
  return { subject, text: `${state}\n\n${more}\n${link}\n${off}\n` };
}

import type { Logger } from "@video-to-json/runtime/telemetry";
import { createTransport } from "nodemailer";

type MailerOptions = {
  /**
   * Where mail goes, as an SMTP URL, which may hold a password. Its query may name the sender's address as `from`. If
   * undefined, codes are written to the log.
   */
  readonly smtpUrl: string | undefined;
};

/** A message to one reader, as plain text. Without a mail server, the log shows `code`. */
export type Message = { to: string; subject: string; text: string; code?: string };

export type Mailer = {
  readonly kind: "smtp" | "log";
  /** Sends a message in the background, so that its duration says nothing about the reader. Failures are logged. */
  send(message: Message): void;
  /** Resolves when every message has been sent or has failed. */
  close(): Promise<void>;
};

type SmtpError = { code?: string; responseCode?: number; command?: string; message: string };

const timeoutMs = 20_000;

/**
 * Opens the mailer. Without `smtpUrl` it writes the codes to the log, for use on one's own machine
 * (docs/decisions/0011).
 */
export function openMailer({ log }: { readonly log: Logger }, { smtpUrl }: MailerOptions): Mailer {
  const server = smtpUrl === undefined ? undefined : new URL(smtpUrl);
  const from = { name: "Video-to-JSON", address: server?.searchParams.get("from") ?? "no-reply@localhost" };
  server?.searchParams.delete("from");
  // Otherwise an attacker between this process and the server hides that the server has TLS, and reads the password.
  if (server?.username && server.searchParams.get("ignoreTLS") !== "true") {
    server.searchParams.set("requireTLS", "true");
  }
  const transport =
    server === undefined
      ? undefined
      : createTransport({
          url: server.href,
          pool: true,
          connectionTimeout: timeoutMs,
          greetingTimeout: timeoutMs,
          socketTimeout: timeoutMs,
        });
  const open = new Set<Promise<unknown>>();

  return {
    kind: transport ? "smtp" : "log",
    send({ to, subject, text, code }) {
      if (!transport) {
        log.warn({ email: to, code }, "SMTP_URL is not set: this is the code to sign in");
        return;
      }
      const sending = transport
        .sendMail({
          from,
          to: { name: "", address: to },
          subject,
          text,
          headers: { "Auto-Submitted": "auto-generated" },
        })
        .catch(({ code, responseCode, command = "", message }: SmtpError) => {
          // From the envelope on, the server may repeat the address of the reader.
          const reason = /^(?:CONN|EHLO|HELO|STARTTLS|AUTH)/.test(command) ? message : undefined;
          log.error({ code, responseCode, reason }, "a message was not sent");
        })
        .finally(() => open.delete(sending));
      open.add(sending);
    },
    async close() {
      await Promise.allSettled(open);
      transport?.close();
    },
  };
}

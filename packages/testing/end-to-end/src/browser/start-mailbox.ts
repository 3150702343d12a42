import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";

/** A mail server that keeps the codes it gets. */
export type Mailbox = {
  readonly url: string;
  /** Resolves with the newest code for an address that no earlier call has returned. */
  takeCode(address: string): Promise<string>;
  close(): Promise<void>;
};

/** Starts a real mail server on 127.0.0.1, by default on any free port. */
export async function startMailbox(port = 0): Promise<Mailbox> {
  const codes = new Map<string, string>();
  const waiting = new Map<string, (code: string) => void>();
  const arrived = (address: string, code: string) => {
    const waiter = waiting.get(address);
    waiting.delete(address);
    if (waiter) waiter(code);
    else codes.set(address, code);
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, session, done) {
      void text(stream).then((message) => {
        const code = /\b([A-Z]{4}-[A-Z]{4})\b/.exec(message.slice(message.indexOf("\r\n\r\n")))?.[1];
        for (const { address } of session.envelope.rcptTo) if (code) arrived(address, code);
        done();
      });
    },
  });
  server.listen(port, "127.0.0.1");
  await once(server.server, "listening");
  const address = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    takeCode(address) {
      const code = codes.get(address);
      codes.delete(address);
      return code ? Promise.resolve(code) : new Promise((resolve) => waiting.set(address, resolve));
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

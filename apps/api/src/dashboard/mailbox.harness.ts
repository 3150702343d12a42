import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import { vi } from "vitest";

/** A message as it arrived. */
type Arrived = { to: string; source: string };

/** Starts a real mail server that keeps what it gets. */
export async function startMailbox() {
  const messages: Arrived[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    async onData(stream, session, done) {
      const source = await text(stream);
      for (const { address } of session.envelope.rcptTo) messages.push({ to: address, source });
      done();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    messages,
    /** Waits for a message to an address, takes it out and returns its code. */
    async takeCode(address: string): Promise<string> {
      const at = await vi.waitFor(
        () => {
          const index = messages.findIndex(({ to }) => to === address);
          if (index < 0) throw new Error(`no message to ${address}`);
          return index;
        },
        { timeout: 45_000 },
      );
      const [message] = messages.splice(at, 1);
      return /^([A-Z]{4}-[A-Z]{4}) is your code/m.exec(message?.source ?? "")?.[1] ?? "no code";
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

import { join } from "node:path";
import { startService } from "@video-to-json/stack/service";
import { makeVideo } from "@video-to-json/testing";
import { openBrowser } from "./open-browser.ts";
import { startMailbox } from "./start-mailbox.ts";
import { newVisitor } from "./visitor.ts";

/** Starts the whole service with a mail server and a browser, and makes a video of three colours, nine seconds long. */
export async function startDashboard() {
  await using starting = new AsyncDisposableStack();
  const mailbox = await startMailbox();
  starting.defer(() => mailbox.close());
  const [service, browser] = await Promise.all([startService({ env: { SMTP_URL: mailbox.url } }), openBrowser()]);
  starting.use(service);
  starting.defer(() => browser.close());
  const video = join(service.video, "..", "three-colours.mp4");
  const colours = ["red", "green", "blue"].map((color) => ({ seconds: 3, color, moving: true }));
  await makeVideo({ scenes: colours }, video);
  const parts = starting.move();
  return {
    service,
    video,
    takeCode: mailbox.takeCode,
    newVisitor: (options: Parameters<typeof newVisitor>[1] = {}) =>
      newVisitor({ browser, mailbox, baseUrl: service.baseUrl }, options),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** A dashboard that runs for tests. */
export type Dashboard = Awaited<ReturnType<typeof startDashboard>>;

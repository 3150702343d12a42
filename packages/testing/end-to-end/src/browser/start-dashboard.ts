import { join } from "node:path";
import { borrowService } from "@video-to-json/stack/service";
import { makeVideo } from "@video-to-json/testing";
import { openBrowser } from "./open-browser.ts";
import { startMailbox } from "./start-mailbox.ts";
import { newVisitor } from "./visitor.ts";

/** Borrows a service, starts its mail server and a browser, and makes a video of three colours, nine seconds long. */
export async function startDashboard() {
  await using starting = new AsyncDisposableStack();
  const service = starting.use(await borrowService());
  const [mailbox, browser] = await Promise.all([startMailbox(service.mailPort), openBrowser()]);
  starting.defer(() => mailbox.close());
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

import { join } from "node:path";
import { borrowService } from "@video-to-json/stack/service";
import { makeVideo } from "@video-to-json/testing";
import { expect, onTestFinished } from "vitest";
import { openBrowser } from "./open-browser.ts";
import { startMailbox } from "./start-mailbox.ts";
import { newVisitor, type Visitor } from "./visitor.ts";

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
  const open = async (options: Parameters<typeof newVisitor>[1] = {}): Promise<Visitor> => {
    const visitor = await newVisitor({ browser, mailbox, baseUrl: service.baseUrl }, options);
    onTestFinished(async () => {
      await visitor.context.close();
      // No test may violate the page's policy, throw in the page, or make it contact another server.
      expect(visitor.faults).toEqual([]);
    });
    return visitor;
  };
  return {
    service,
    video,
    takeCode: mailbox.takeCode,
    newVisitor: open,
    signedIn: async (options?: Parameters<typeof open>[0]) => {
      const visitor = await open(options);
      await visitor.signIn();
      return visitor;
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

export type Dashboard = Awaited<ReturnType<typeof startDashboard>>;

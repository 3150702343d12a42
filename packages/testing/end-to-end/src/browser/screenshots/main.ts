import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startStack } from "@video-to-json/stack";
import { makeVideo, repositoryRoot } from "@video-to-json/testing/running";
import { openBrowser } from "../open-browser.ts";
import { startMailbox } from "../start-mailbox.ts";
import { writeSchema } from "../steps.ts";
import { newVisitor } from "../visitor.ts";
import { fillAccount } from "./fill-account.ts";
import { takeScreenshots } from "./take-screenshots.ts";

const scenes = [
  { seconds: 5, color: "0x27445C", text: "Sourdough for beginners", moving: true },
  { seconds: 7, color: "0x8A4B2A", text: "Feed the starter", moving: true },
  { seconds: 6, color: "0x3F6B4F", text: "Fold the dough", moving: true },
  { seconds: 6, color: "0xA8842C", text: "Into the oven", moving: true },
];
const sketch = `{
  "title": "string — text on the first picture",
  "scenes": [
    {
      "start": "timestamp",
      "end": "timestamp",
      "text": "string — text in the picture"
    }
  ],
  "cuts": [{ "at": "timestamp" }]
}`;

// Starts the service, gives three accounts no job, one job and many jobs, and takes a picture of every page into
// .local/screenshots. Those that docs/images keeps are also replaced there.
await using parts = new AsyncDisposableStack();
const dataDir = await mkdtemp(join(tmpdir(), "v2j-screenshots-"));
parts.defer(() => rm(dataDir, { recursive: true, force: true }));
const mailbox = await startMailbox();
parts.defer(() => mailbox.close());
const stack = await startStack({ dataDir, apis: 1, workers: 1, env: { SMTP_URL: mailbox.url }, detached: false });
parts.defer(() => stack.stop());
const browser = await openBrowser();
parts.defer(() => browser.close());
const video = join(dataDir, "sourdough.mp4");
await makeVideo({ scenes, width: 960, height: 540 }, video);

const deps = { browser, mailbox, baseUrl: stack.baseUrl };
const [none, one, many] = [
  await newVisitor(deps, { email: "new@example.com" }),
  await newVisitor(deps, { email: "ann@example.com" }),
  await newVisitor(deps, { email: "team@example.com" }),
];
for (const visitor of [none, one, many]) await visitor.signIn();
await fillAccount(stack.databaseUrl, many.email, 240);

await one.open("/playground");
await writeSchema(one.page, sketch);
await one.page.locator("input[type=file]").setInputFiles(video);
await one.page.getByLabel("Gather evidence").check();
await one.page.getByRole("button", { name: "Run", exact: true }).click();
await one.page.getByText(/^Billed/).waitFor({ timeout: 120_000 });
const run = new URL(one.page.url()).pathname.split("/").at(-1) ?? "";

await many.open("/jobs?status=failed");
const failed = (await many.page.locator(".row-anchor").first().getAttribute("href"))?.split("/").at(-1) ?? "";

const directory = join(repositoryRoot, ".local", "screenshots");
const visitors = { none, one, many };
await takeScreenshots({ browser, baseUrl: stack.baseUrl, visitors, run: { id: run, video }, failed, directory });
const kept = join(repositoryRoot, "docs", "images");
for (const name of await readdir(kept)) {
  if (name.endsWith(".webp")) await copyFile(join(directory, name), join(kept, name));
}

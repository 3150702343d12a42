import type { Page } from "playwright-core";

/** Creates a key on the page of keys. Returns the key. */
export async function makeKey(page: Page, name: string, limit?: number): Promise<string> {
  await page.getByRole("button", { name: "New key" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  if (limit !== undefined) await dialog.getByLabel("Minutes a month").fill(String(limit));
  await dialog.getByRole("button", { name: "Make the key" }).click();
  const key = (await dialog.getByTestId("new-key").textContent()) ?? "";
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  await page.getByRole("cell", { name: new RegExp(`^${name}`) }).waitFor();
  return key;
}

const sketch = `{
  "main_color": "red|green|blue",
  "scenes": [{ "start": "timestamp", "end": "timestamp", "color": "red|green|blue" }],
  "cuts": [{ "at": "timestamp" }]
}`;

/** Replaces the text of the schema editor. */
export async function writeSchema(page: Page, text: string): Promise<void> {
  const editor = page.getByRole("textbox", { name: "Schema" });
  await editor.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

/** Opens the playground with a video and the tests' schema, ready to run. */
export async function prepareRun(page: Page, video: string): Promise<void> {
  await writeSchema(page, sketch);
  await page.locator("input[type=file]").setInputFiles(video);
  // The length of the video is known: it is ready to play, and its cost is shown.
  await page.getByText("Costs 1 min").waitFor();
}

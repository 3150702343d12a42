import type { Page } from "playwright-core";

/** Whose account a picture shows: a guest's, or one with no job, one job, or many. */
export type Owner = "guest" | "none" | "one" | "many";

/** A picture to take: its name, the page, and what to wait for. */
export type Shot = {
  readonly name: string;
  readonly owner: Owner;
  readonly path: string;
  readonly ready: (page: Page) => Promise<unknown>;
};

const text = (words: string) => (page: Page) => page.getByText(words).first().waitFor();

/** Returns every picture. `run` is the job of the playground's run, `failed` a job that failed. */
export function shots(run: string, failed: string): Shot[] {
  return [
    { name: "sign-in", owner: "guest", path: "/", ready: (page) => page.getByLabel("E-mail").waitFor() },
    { name: "start-none", owner: "none", path: "/", ready: text("Make your first API key") },
    { name: "start-one", owner: "one", path: "/", ready: text("Last jobs") },
    { name: "start", owner: "many", path: "/", ready: text("Last jobs") },
    { name: "keys-none", owner: "none", path: "/keys", ready: text("No key yet") },
    { name: "keys", owner: "many", path: "/keys", ready: text("production server") },
    { name: "usage-none", owner: "none", path: "/usage", ready: text("No minutes in these days") },
    { name: "usage", owner: "many", path: "/usage", ready: text("Extraction") },
    { name: "jobs-none", owner: "none", path: "/jobs", ready: text("No job yet") },
    { name: "jobs", owner: "many", path: "/jobs", ready: text("Succeeded") },
    { name: "job", owner: "one", path: `/jobs/${run}`, ready: text("Time by stage") },
    { name: "job-failed", owner: "many", path: `/jobs/${failed}`, ready: text("What to do") },
    { name: "playground-none", owner: "none", path: "/playground", ready: text("No fault found") },
    { name: "settings", owner: "one", path: "/settings", ready: text("Sign out everywhere") },
    { name: "status", owner: "one", path: "/status", ready: text("Up") },
  ];
}

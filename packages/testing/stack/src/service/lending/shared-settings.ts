import { freePort } from "@video-to-json/testing";
import type { ServiceFacts } from "../service.ts";

/**
 * Chooses the settings of a shared service. A borrower starts its own web server and mail server, if it needs them, on
 * these ports. The limits leave room for a file that sends its requests quickly.
 */
export async function sharedSettings(): Promise<Record<string, string>> {
  return {
    FETCH_ALLOW_HOSTS: `127.0.0.1:${await freePort()}`,
    SMTP_URL: `smtp://127.0.0.1:${await freePort()}`,
    WORKER_CONCURRENCY: "6",
    EXTRACTIONS_PER_MINUTE: "150",
    READS_PER_MINUTE: "1200",
  };
}

/** Returns the only port of 127.0.0.1 that a `video_url` of this service may name. */
export function sitePortOf({ settings }: Pick<ServiceFacts, "settings">): number {
  return Number(settings.FETCH_ALLOW_HOSTS?.split(":")[1]);
}

/** Returns the port of 127.0.0.1 to which this service sends its mail. */
export function mailPortOf({ settings }: Pick<ServiceFacts, "settings">): number {
  return Number(new URL(String(settings.SMTP_URL)).port);
}

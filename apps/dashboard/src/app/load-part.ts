/** A part of the application did not arrive: a release removed its file, or the connection broke. */
export class LostPart extends Error {}

/** Loads a part of the application. Throws: `LostPart`. */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (cause) {
    // The router reloads the page at the browser's own error, even offline, where the browser then shows its own page.
    throw new LostPart("A part of the page did not arrive.", { cause });
  }
}

const name = "reloaded-at";
const pauseMs = 60_000;

/** Returns whether the page may load itself again: once a minute, so that a part that is gone for good ends in words. */
export function mayReload(): boolean {
  try {
    const last = Number(sessionStorage.getItem(name) ?? 0);
    if (Date.now() - last < pauseMs) return false;
    sessionStorage.setItem(name, String(Date.now()));
    return true;
  } catch {
    return false;
  }
}

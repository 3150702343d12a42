const name = "signed-in";

/**
 * Returns whether this browser signed in before and not out since. The session itself is in a cookie that no script can
 * read. With the hint, a page is shown at once; without it, the router reads the session first, so that nothing flashes.
 */
export function wasSignedIn(): boolean {
  try {
    return localStorage.getItem(name) !== null;
  } catch {
    return false;
  }
}

/** Keeps for the next visit whether this browser is signed in. */
export function rememberSignedIn(isSignedIn: boolean): void {
  try {
    if (isSignedIn) localStorage.setItem(name, "yes");
    else localStorage.removeItem(name);
  } catch {
    // Without storage every visit asks for the session first.
  }
}

const name = "signed-in";

/**
 * Returns whether this browser signed in before and did not sign out since. The session itself is in a cookie that no
 * script can read. With the hint, a page is shown at once. Without it, the router reads the session first, so that
 * nothing flashes.
 */
export function wasSignedIn(): boolean {
  try {
    return localStorage.getItem(name) !== null;
  } catch {
    return false;
  }
}

/** Stores for the next visit whether this browser is signed in. */
export function rememberSignedIn(isSignedIn: boolean): void {
  try {
    if (isSignedIn) localStorage.setItem(name, "yes");
    else localStorage.removeItem(name);
  } catch {
    // Without storage, every visit reads the session first.
  }
}

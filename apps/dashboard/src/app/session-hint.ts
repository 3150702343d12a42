const name = "signed-in";

/**
 * Returns the account that this browser signed in to, unless it signed out since. The session itself is in a cookie that
 * no script can read. With the hint, a page and its draft are shown at once. Without it, the router reads the session
 * first, so that nothing flashes.
 */
export function signedInAccount(): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores for the next visit which account this browser is signed in to; undefined after it signed out. */
export function rememberSignedIn(account: string | undefined): void {
  try {
    if (account !== undefined) localStorage.setItem(name, account);
    else localStorage.removeItem(name);
  } catch {
    // Without storage, every visit reads the session first.
  }
}

/**
 * An e-mail, a code and what names the browser that asked for the code, in the fragment of an address, which no server
 * sees.
 */
export type SignInLink = { readonly email: string; readonly code: string; readonly link: string };

/**
 * Returns the members of a fragment such as `#email=…&code=…&link=…`, or undefined if e-mail or code is
 * missing.
 */
export function readSignInLink(fragment: string): SignInLink | undefined {
  const members = new URLSearchParams(fragment.replace(/^#/, ""));
  const email = members.get("email");
  const code = members.get("code");
  return email && code ? { email, code, link: members.get("link") ?? "" } : undefined;
}

/** Returns where to go after the sign-in: the dashboard's path that the address names, or its start. */
export function pathAfterSignIn(next: string | undefined): string {
  return next?.startsWith("/") && !next.startsWith("//") && !next.includes("\\") ? next : "/";
}

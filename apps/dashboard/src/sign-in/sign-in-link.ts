/** An e-mail and a code that an address carries behind its `#`, where no server sees them. */
export type SignInLink = { readonly email: string; readonly code: string };

/** Returns what a fragment such as `#email=…&code=…` signs in with, or undefined if it has not both. */
export function readSignInLink(fragment: string): SignInLink | undefined {
  const members = new URLSearchParams(fragment.replace(/^#/, ""));
  const email = members.get("email");
  const code = members.get("code");
  return email && code ? { email, code } : undefined;
}

/** Returns where to go after the sign-in: the path of the dashboard that the address names, or its start. */
export function pathAfterSignIn(next: string | undefined): string {
  return next?.startsWith("/") && !next.startsWith("//") && !next.includes("\\") ? next : "/";
}

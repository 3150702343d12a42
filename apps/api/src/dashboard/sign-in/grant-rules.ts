import type { GrantCap } from "@video-to-json/database/money";
import { disposableEmailBlocklistSet } from "disposable-email-domains-js";
import { getDomain } from "tldts";

/** How many free grants a day people get who sign up by themselves. */
export type GrantsPerDay = { readonly service: number; readonly domain: number; readonly network: number };

/** The providers that ignore dots in the name of a mailbox. Both domains belong to one provider. */
const withoutDots = new Set(["gmail.com", "googlemail.com"]);
/** Many people share these domains, so that the limit of a domain would keep out strangers to each other. */
const publicProviders = new Set([
  ...["gmail.com", "outlook.com", "hotmail.com", "live.com", "msn.com", "yahoo.com", "aol.com", "icloud.com", "me.com"],
  ...["proton.me", "protonmail.com", "gmx.de", "gmx.net", "web.de", "mail.com", "zoho.com", "fastmail.com", "qq.com"],
  ...["163.com", "126.com", "naver.com", "mail.ru", "yandex.ru", "yandex.com", "orange.fr", "free.fr", "libero.it"],
]);
const disposable = disposableEmailBlocklistSet();

/** The mailbox that an address reaches, which several addresses can share, and its domain. */
export type Mailbox = { readonly address: string; readonly domain: string; readonly isDisposable: boolean };

/** Returns the mailbox of an address: in lower case, without `+tag`, without dots where the provider ignores them. */
export function mailboxOf(email: string): Mailbox {
  const address = email.trim().toLowerCase();
  const at = address.lastIndexOf("@");
  const host = address.slice(at + 1).replace(/\.$/, "");
  const [name = ""] = address.slice(0, at).split("+");
  // The owner of a domain owns its subdomains.
  const domain = getDomain(host) ?? host;
  const isDisposable = disposable.has(host) || disposable.has(domain);
  if (withoutDots.has(host))
    return { address: `${name.replaceAll(".", "")}@gmail.com`, domain: "gmail.com", isDisposable };
  return { address: `${name}@${host}`, domain, isDisposable };
}

/** Returns the caps that a grant to an address counts for. */
export function grantCaps({ domain }: Mailbox, network: string, perDay: GrantsPerDay): GrantCap[] {
  const caps: GrantCap[] = [
    { kind: "network", owner: network, limit: perDay.network },
    { kind: "service", owner: "all", limit: perDay.service },
  ];
  return publicProviders.has(domain) ? caps : [{ kind: "domain", owner: domain, limit: perDay.domain }, ...caps];
}

import { EnvError, makeExactValidator } from "envalid";

/** A whole number between two bounds, both included. */
export function wholeNumber(least: number, most: number) {
  return makeExactValidator<number>((text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new EnvError(`"${text}" is not a whole number from ${least} to ${most}`);
    }
    return value;
  });
}

/** A text that is not empty and matches a form, told in words. */
export function textLike(form: RegExp, words: string) {
  return makeExactValidator<string>((text) => {
    if (!form.test(text)) throw new EnvError(`"${text}" is not ${words}`);
    return text;
  });
}

/** A URL of one of these schemes (`"postgres:"`). The value is not repeated in the fault: it may hold a password. */
export function urlOf(schemes: readonly string[]) {
  return makeExactValidator<string>((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !schemes.includes(url.protocol)) {
      throw new EnvError(`not a URL that starts with ${schemes.map((s) => `${s}//`).join(" or ")}`);
    }
    return text;
  });
}

/** A text that must not be repeated anywhere. */
export const secret = makeExactValidator<string>((text) => text);

/** `host:port` pairs, separated by commas; hosts in lower case, IPv6 in brackets. */
export const hostPorts = listOf(/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):\d{1,5}$/, "host:port");

/** Host names without ports, separated by commas, in lower case. */
export const hostNames = listOf(/^[a-z0-9._-]+$/, "a host name without a port");

function listOf(form: RegExp, words: string) {
  return makeExactValidator<readonly string[]>((text) =>
    text
      .split(",")
      .map((item) => item.trim().toLowerCase())
      .filter((item) => item !== "")
      .map((item) => {
        if (!form.test(item)) throw new EnvError(`"${item}" is not ${words}`);
        return item;
      }),
  );
}

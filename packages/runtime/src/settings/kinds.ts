import { isJsonObject, parseStorageUrl } from "@video-to-json/contract";
import { EnvError, makeExactValidator } from "envalid";
import { readRedisAddress } from "./redis-address.ts";

/** Accepts a whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number) {
  return makeExactValidator<number>((text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new EnvError(`"${text}" is not a whole number from ${min} to ${max}`);
    }
    return value;
  });
}

/** Accepts `model=value` pairs, separated by commas. `read` returns undefined for a wrong value; `words` says what is right. */
export function byModel<Value>(words: string, read: (text: string) => Value | undefined) {
  return makeExactValidator<Readonly<Record<string, Value>>>((text) => {
    const pairs = text.split(",").filter((pair) => pair.trim() !== "");
    return Object.fromEntries(
      pairs.map((pair) => {
        const [, model = "", given = ""] = /^\s*([A-Za-z0-9][A-Za-z0-9._-]*)=(\S+)\s*$/.exec(pair) ?? [];
        const value = read(given);
        if (model === "" || value === undefined) throw new EnvError(`"${pair}" is not a model, "=" and ${words}`);
        return [model, value];
      }),
    );
  });
}

/** Prices of a million tokens in US dollars. */
type Price = { input: number; output: number; cached: number };

/** Reads `input/output` or `input/output/cached`. Without the last, cached tokens cost as much as others. */
export function readPrice(text: string): Price | undefined {
  const amounts = text.split("/").map((part) => (/^\d+(\.\d+)?$/.test(part) ? Number(part) : Number.NaN));
  const [input = 0, output = 0, cached = input] = amounts;
  const isRight = amounts.length >= 2 && amounts.length <= 3 && amounts.every((amount) => amount <= 1_000_000);
  return isRight ? { input, output, cached } : undefined;
}

/** Accepts one price above 0 for input and for output. */
export const price = makeExactValidator<Price>((text) => {
  const value = readPrice(text);
  if (!value || value.input === 0 || value.output === 0) throw new EnvError(`"${text}" is not a price above 0`);
  return value;
});

/** Reads `questions/tokens` a minute, and after these `/questions a day` and `/dollars in ten minutes`. */
export function readLimit(text: string) {
  const amounts = text.split("/").map((part) => (/^[1-9]\d{0,9}$/.test(part) ? Number(part) : Number.NaN));
  const [questions = 0, tokens = 0, questionsADay, dollarsInTenMinutes] = amounts;
  if (amounts.length < 2 || amounts.length > 4 || amounts.some(Number.isNaN)) return undefined;
  return {
    questions,
    tokens,
    ...(questionsADay ? { questionsADay } : {}),
    ...(dollarsInTenMinutes ? { dollarsInTenMinutes } : {}),
  };
}

/** Accepts a text that matches `form`. The error message describes the form with `words`. */
export function textLike(form: RegExp, words: string) {
  return makeExactValidator<string>((text) => {
    if (!form.test(text)) throw new EnvError(`"${text}" is not ${words}`);
    return text;
  });
}

/** Accepts one of a list of words. */
export function oneOf<Word extends string>(words: readonly Word[]) {
  return makeExactValidator<Word>((text) => {
    const found = words.find((word) => word === text);
    if (found === undefined) throw new EnvError(`"${text}" is not ${words.join(" or ")}`);
    return found;
  });
}

/**
 * Accepts a URL with one of these schemes, such as "postgres:", and one host: a name that follows the primary, not a list
 * of hosts. The error does not quote the URL, which may hold a password.
 */
export function urlOf(schemes: readonly string[]) {
  return makeExactValidator<string>((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (/^\w+:\/\/[^/?#]*,/.test(text)) {
      throw new EnvError("names several hosts; name one address that leads to the primary");
    }
    if (!url || !schemes.includes(url.protocol)) {
      throw new EnvError(`not a URL that starts with ${schemes.map((s) => `${s}//`).join(" or ")}`);
    }
    return text;
  });
}

/** Accepts the address of storage. The error does not quote the URL, which may hold a password. */
export const storageUrl = readable(parseStorageUrl);

/** Accepts the address of Redis. The error does not quote the URL, which may hold a password. */
export const redisUrl = readable(readRedisAddress);

/** Accepts a text that `read` accepts. */
function readable(read: (text: string) => unknown) {
  return makeExactValidator<string>((text) => {
    try {
      read(text);
    } catch (error) {
      throw new EnvError(error instanceof Error ? error.message.replace(/\.$/, "") : String(error));
    }
    return text;
  });
}

/** Accepts any text. Errors never quote it. */
export const secret = makeExactValidator<string>((text) => text);

/**
 * Accepts headers of requests as `name=value`, separated by commas, values percent-encoded where they hold a comma.
 * The error does not quote the values, which may be secrets.
 */
export const headersOf = makeExactValidator<Readonly<Record<string, string>>>((text) => {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name = "", given = ""] = /^\s*([\w!#$%&'*+.^`|~-]+)=(.*?)\s*$/.exec(pair) ?? [];
      const value = /%(?![0-9a-f]{2})/i.test(given) ? "" : decodeURIComponent(given);
      if (!/^[\x20-\x7e]+$/.test(value)) throw new EnvError("not a list of name=value in printable ASCII");
      if (reservedHeaders.test(name)) throw new EnvError(`the service sets the header ${name} itself`);
      return [name.toLowerCase(), value];
    }),
  );
});

const reservedHeaders = /^(host|connection|content-.*|transfer-encoding|accept-encoding|x-goog-.*)$/i;

/** Accepts names of models, separated by commas: one at least. */
export const modelNames = makeExactValidator<readonly string[]>((text) => {
  const names = text.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name));
  if (wrong !== undefined) throw new EnvError(`"${wrong}" is not letters, digits, dots, dashes and underscores`);
  return names;
});

/** Accepts a model by the name that a server of chat completions has for it. */
export const chatModel = textLike(/^[\w./:@-]{1,100}$/, "the name of a model");

/** Accepts a JSON object. The error does not quote it. */
export const jsonObject = makeExactValidator<Readonly<Record<string, unknown>>>((text) => {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {}
  throw new EnvError("not a JSON object");
});

/** Accepts `host:port` pairs, separated by commas, IPv6 addresses in brackets. Returns them in lower case. */
export const hostPorts = listOf(/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):\d{1,5}$/, "host:port");

/** Accepts http and https addresses, separated by commas. */
export const addresses = makeExactValidator<readonly string[]>((text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")
    .map((item) => {
      if (!/^https?:\/\//.test(item) || !URL.canParse(item)) throw new EnvError(`"${item}" is not an http(s) address`);
      return item;
    }),
);

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

import { parseStorageUrl } from "@video-to-json/contract";
import { EnvError, makeExactValidator } from "envalid";

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

/** The prices of a million tokens in US dollars, by model. */
type Prices = Readonly<Record<"small" | "large", { input: number; output: number }>>;

/** No price is known, so there is no estimate. */
export const noPrices: Prices = { small: { input: 0, output: 0 }, large: { input: 0, output: 0 } };

/** Accepts four prices, separated by commas: input and output of the small model, then of the large one. */
export const prices = makeExactValidator<Prices>((text) => {
  const amounts = text.split(",").map((part) => (/^\s*\d+(\.\d+)?\s*$/.test(part) ? Number(part) : Number.NaN));
  const [small = 0, smallOutput = 0, large = 0, largeOutput = 0] = amounts;
  if (amounts.length !== 4 || amounts.some((amount) => !(amount <= 1_000_000))) {
    throw new EnvError(`"${text}" is not four numbers from 0 to 1000000, separated by commas`);
  }
  return { small: { input: small, output: smallOutput }, large: { input: large, output: largeOutput } };
});

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

/** Accepts a URL with one of these schemes, such as "postgres:". The error does not quote the URL, which may hold a password. */
export function urlOf(schemes: readonly string[]) {
  return makeExactValidator<string>((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !schemes.includes(url.protocol)) {
      throw new EnvError(`not a URL that starts with ${schemes.map((s) => `${s}//`).join(" or ")}`);
    }
    return text;
  });
}

/** Accepts the address of storage. The error does not quote the URL, which may hold a password. */
export const storageUrl = makeExactValidator<string>((text) => {
  try {
    parseStorageUrl(text);
  } catch (error) {
    throw new EnvError(error instanceof Error ? error.message.replace(/\.$/, "") : String(error));
  }
  return text;
});

/** Accepts any text. Errors never quote it. */
export const secret = makeExactValidator<string>((text) => text);

/** Accepts names of models, separated by commas: one at least. */
export const modelNames = makeExactValidator<readonly string[]>((text) => {
  const names = text.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name));
  if (wrong !== undefined) throw new EnvError(`"${wrong}" is not letters, digits, dots, dashes and underscores`);
  return names;
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

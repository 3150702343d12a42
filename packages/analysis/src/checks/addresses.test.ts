import { expect, test } from "vitest";
import { compareWords } from "./compare-words.ts";
import { holdsValue } from "./holds-value.ts";

const compare = (screen: string, quote: string) => compareWords({ text: `CONTACT\n${screen}\nEND`, quote });

test.each([
  ["john.doe@acme.example", "johndoe@acme.example"],
  ["john_doe@acme.example", "john.doe@acme.example"],
  ["j-doe@acme.example", "j.doe@acme.example"],
  ["doe@acme.example", "john.doe@acme.example"],
  ["rn123@acme.example", "m123@acme.example"],
  ["@john_doe", "@johndoe"],
  ["@john_doe", "@john"],
  ["@john.doe", "@john_doe"],
  ["acme-shop.com", "acmeshop.com"],
  ["shop-acme.com", "acme.com"],
  ["acme.com.br", "acme.com"],
  ["acme.com/a-b", "acme.com/a_b"],
  ["acme.com/ab", "acme.com/a/b"],
  ["bit.ly/aB3x", "bit.ly/AB3x"],
  ["bit.ly/1lI", "bit.ly/lll"],
  ["youtube.com/watch?v=aBc", "youtube.com/watch?v=abc"],
  ["report_final.pdf", "reportfinal.pdf"],
])("%s and %s neither confirm nor deny each other", (one, other) => {
  for (const [screen, quote] of [
    [one, other],
    [other, one],
  ] as const) {
    const { found, differs } = compare(screen, quote);
    expect([found, differs], `${screen} on the screen`).toEqual([false, false]);
    expect(holdsValue(screen, quote), `${quote} in ${screen}`).toBe(false);
  }
});

test.each([
  ["Write to John.Doe@Acme.example!", "john.doe@acme.example"],
  ["john.doe @ acme.example", "john.doe@acme.example"],
  ["john doe@acme.example", "john_doe@acme.example"],
  ["Follow @night_owl_99 now", "@night_owl_99"],
  ["https://www.acme.com/sale/", "acme.com/sale"],
  ["Visit ACME.COM.", "acme.com"],
  ["acme.com/sale", "acme.com/sale/."],
  ["write to a.b@acme.example", "a.b@acme.example."],
  ["MAX UPLOAD BYTES", "MAX_UPLOAD_BYTES"],
  ["open report_final_v2.pdf", "report_final_v2.pdf"],
  ["paid by credit card", "credit card"],
  ["Dr. Smith", "Dr.Smith"],
])("a screen with %j has %s", (screen, quote) => {
  expect(compare(screen, quote).found).toBe(true);
});

test("a value in lower case with underscores is in words with spaces", () => {
  expect(holdsValue("paid by credit card", "credit_card")).toBe(true);
  expect(holdsValue("mail john_doe@acme.example", "john_doe@acme.example")).toBe(true);
});

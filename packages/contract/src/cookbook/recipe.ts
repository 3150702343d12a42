/** A schema for a common purpose, with advice on its use. All texts are plain text or Markdown. */
export type Recipe = {
  /** The name of its page and of its file, such as `ad-breaks`. */
  readonly id: string;
  readonly title: string;
  /** Its purpose, in one or two sentences. */
  readonly about: string;
  /** A sketch as JSON text over several lines. A caller sends it as `schema`. */
  readonly schema: string;
  /** Context that improves the answer, to be adapted. A caller sends it as `instructions`. */
  readonly instructions: string;
  /** An answer to the sketch, as JSON text. */
  readonly answer: string;
  /** What often goes wrong, and what to do, as Markdown sentences. */
  readonly pitfalls: readonly string[];
};

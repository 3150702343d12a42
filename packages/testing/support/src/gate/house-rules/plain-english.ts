import type { SourceFile } from "./source-file.ts";

/** Phrases that a hurried reader must read twice, each with what to write instead. */
const phrases: readonly { pattern: RegExp; instead: string }[] = [
  { pattern: /\b(?:is|are|was|were|be|been|being) told\b(?! apart)/i, instead: "get, receive, or name who tells" },
  { pattern: /\b(?:tells?|told) of\b/i, instead: "report, show, contain" },
  { pattern: /\b(?:is|are|was|were) none\b/i, instead: "has no …, does not …" },
  { pattern: /\b(?:is|are|was|were) asked for\b/i, instead: "requested, or name who asks" },
  { pattern: /\bwho(?:m)?ever\b/i, instead: "the caller that, anyone who" },
  { pattern: /\bheed(?:s|ed)?\b/i, instead: "obey, follow" },
  { pattern: /\black(?:s|ed|ing)?\b/i, instead: "has no, is missing" },
  { pattern: /\b(?:stands?|stood) (?:for|in|on|until)\b/i, instead: "means, is in" },
  { pattern: /\b(?:to be|may be) had\b/i, instead: "available" },
  { pattern: /\bas may be\b/i, instead: "as possible" },
  { pattern: /\bof one's own\b/i, instead: "its own" },
  { pattern: /\bfor so long\b/i, instead: "for this time" },
  { pattern: /\bwho sends\b/i, instead: "a client that sends" },
  { pattern: /\bnobody's\b/i, instead: "without an owner" },
  { pattern: /\b(?:by|which|where) nobody\b|\bthat nobody (?!means\b)/i, instead: "not, never, no caller" },
  { pattern: /\bthe word of\b/i, instead: "the confirmation of" },
  { pattern: /\bto n(?:a|o)ught\b/i, instead: "fails" },
  { pattern: /\bno matter of\b/i, instead: "does not concern" },
  { pattern: /\bhears? of\b/i, instead: "learns, receives" },
  { pattern: /\btakes? its leave\b/i, instead: "shuts down" },
  { pattern: /\b(?:at|by) (?:the|every|all|each) doors?\b/i, instead: "every entry point" },
  { pattern: /\b(?:hang|hangs|hung) up\b/i, instead: "closes the connection" },
  { pattern: /\bfar ends?\b/i, instead: "dependency" },
  { pattern: /\b(?:leavings|left-overs?)\b/i, instead: "leftovers" },
  { pattern: /\bunder way\b/i, instead: "in flight, running" },
  { pattern: /\b(?:ended|unended) jobs?\b/i, instead: "finished job" },
  { pattern: /\b(?:give|gives|gave|given) (?:it |them )?back (?:a |the |its )?jobs?\b/i, instead: "requeue" },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, instead: "fix" },
  { pattern: /\bpatience\b/i, instead: "retry policy, time limit" },
  { pattern: /\banalysis service\b/i, instead: "provider" },
  {
    pattern: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|other\b|need\b|such\b|[a-z]+er\b)/i,
    instead: "is not a …",
  },
  { pattern: /\bwhat (?:became|came|comes|becomes) of\b/i, instead: "the outcome of, the results of" },
  { pattern: /\bruns? on(?=[.:;)]|$)/i, instead: "continue" },
  { pattern: /\bgo(?:es)? on(?=[.,:;)]|$| (?:and|for|where|once|until)\b)/i, instead: "continue" },
  { pattern: /(?<!\bare )\ball the same\b/i, instead: "still, nevertheless" },
  { pattern: /\bbelongs? into\b/i, instead: "belongs in, is a part of" },
];

// At the start of a sentence of a comment or a document: "Who sends too many is …", "What is no request gets …".
const inverted = /(?:^|[.:;] )(?:Who|Whom|What (?:is|was|are|were|has|had|cannot|can|could)) [^?.]*(?:\.|$)/;
const startsWithGives = /^(?:Gives (?!up\b)|Tells |Judges )/;
const invertedTestName = /\b(?:test|it|describe)(?:\.\w+)?\(\s*["'`](?:who|what|whom) /i;

/** One phrase that a file must not contain. */
export type Relapse = { path: string; line: number; phrase: string; instead: string };

/** Returns the phrases of a file that the house rules forbid (docs/glossary.md has the words to use). */
export function findRelapses({ path, text }: SourceFile): Relapse[] {
  const passages = [...passagesOf({ path, text })];
  const everywhere = /\.tsx?$/.test(path) ? [...passages, ...codeLines(text)] : passages;
  const relapse = (line: number, phrase: string, instead: string) => ({ path, line, phrase: phrase.trim(), instead });
  return [
    ...everywhere.flatMap(({ line, text: passage }) =>
      phrases.flatMap(({ pattern, instead }) => {
        const found = pattern.exec(passage);
        return found ? [relapse(line, found[0], instead)] : [];
      }),
    ),
    ...passages.flatMap(({ line, text: passage }) => {
      const found = inverted.exec(passage) ?? startsWithGives.exec(passage);
      return found ? [relapse(line, found[0].slice(0, 60), "subject, verb, object")] : [];
    }),
    ...everywhere.flatMap(({ line, text: passage }) =>
      invertedTestName.test(passage) ? [relapse(line, passage.trim().slice(0, 60), "subject, verb, object")] : [],
    ),
  ];
}

type Passage = { line: number; text: string };

function passagesOf({ path, text }: SourceFile): Iterable<Passage> {
  if (/\.tsx?$/.test(path)) return commentsOf(text);
  return path.endsWith(".md") ? paragraphsOf(text) : hashComments(text);
}

function* hashComments(text: string): Iterable<Passage> {
  for (const match of text.matchAll(/(?:^[ \t]*# .*\n?)+/gm)) {
    const plain = match[0].replace(/^[ \t]*# /gm, "").replace(/\s+/g, " ");
    yield { line: lineAt(text, match.index), text: plain.trim() };
  }
}

function* commentsOf(text: string): Iterable<Passage> {
  const comments = /\/\*\*?([\s\S]*?)\*\/|((?:^[ \t]*\/\/.*\n?)+)|[^:"'`\n]\/\/ (.*)$/gm;
  for (const match of text.matchAll(comments)) {
    const body = match[1] ?? match[2] ?? match[3] ?? "";
    const plain = body.replace(/^[ \t]*(?:\*|\/\/)[ \t]?/gm, "").replace(/\s+/g, " ");
    yield { line: lineAt(text, match.index), text: plain.trim() };
  }
}

/** The lines of a TypeScript file that are not comments: names, messages and test names. */
function* codeLines(text: string): Iterable<Passage> {
  for (const [index, line] of text.split("\n").entries()) {
    if (!/^\s*(?:\/\/|\/?\*)/.test(line)) yield { line: index + 1, text: line.replace(/\s\/\/ .*$/, "") };
  }
}

/** The paragraphs, list items and table rows of a Markdown file, without headings and code blocks, each as one line. */
function* paragraphsOf(text: string): Iterable<Passage> {
  const withoutCode = text.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ""));
  for (const match of withoutCode.matchAll(/(?:^(?!\s*(?:[-*|#]|\d+\.)\s?)[^\n]+\n?)+|^[^\n]+(?:\n {2,}\S[^\n]*)*/gm)) {
    if (match[0].startsWith("#")) continue;
    const plain = match[0].replace(/^\s*(?:[-*]|\d+\.)\s+/, "").replace(/\s+/g, " ");
    yield { line: lineAt(text, match.index), text: plain.trim() };
  }
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

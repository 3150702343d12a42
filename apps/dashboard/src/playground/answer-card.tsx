import { Braces } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { AnswerTree } from "../answer/answer-tree.tsx";
import { Card } from "../design/card.tsx";
import { CopyButton } from "../design/copy-button.tsx";
import { CodeBlock, EmptyState } from "../design/display.tsx";
import { Tabs } from "../design/tabs.tsx";
import type { JsonNode } from "../json/json-node.ts";
import { parseJson } from "../json/parse-json.ts";
import { printJson } from "../json/print-json.ts";
import type { Moment } from "../moments/moment.ts";
import { type SnippetLanguage, type SnippetRequest, snippet, snippetLanguages } from "../snippets/snippets.ts";

const languageNames: Record<SnippetLanguage, string> = {
  curl: "curl",
  typescript: "TypeScript",
  python: "Python",
  mcp: "MCP",
};

type AnswerTab = "tree" | "evidence" | "json" | "schema" | "code";

type AnswerCardProps = {
  readonly answer: JsonNode | undefined;
  readonly moments: readonly Moment[];
  readonly lit: ReadonlySet<string>;
  readonly onSeek: (seconds: number) => void;
  /** The request as code for a program. */
  readonly request: SnippetRequest;
  /** The evidence of each value; undefined if it was not asked for. */
  readonly evidence: ReactNode;
  /** Shown instead of the answer: the stages of a run, or why it failed; null before the first run. */
  readonly instead: ReactNode;
  /** The JSON Schema that the schema compiles to, as text. */
  readonly jsonSchema: string | undefined;
  readonly footer: ReactNode;
};

/** The answer as a tree and as JSON, and the request as code. */
export function AnswerCard({ answer, moments, lit, onSeek, evidence, request, instead, ...rest }: AnswerCardProps) {
  const { jsonSchema, footer } = rest;
  // Without a run, the compiled schema is shown beside its editor. A run brings its answer to the front.
  const hasRun = answer !== undefined || instead !== null;
  const [tab, setTab] = useState<AnswerTab>(hasRun ? "tree" : "schema");
  useEffect(() => setTab(hasRun ? "tree" : "schema"), [hasRun]);
  const text = answer ? printJson(answer, 2) : "";
  const nothing = instead ?? (
    <EmptyState icon={Braces} title="The answer appears here">
      Choose a video and run it. Every time in the answer becomes a mark on the video.
    </EmptyState>
  );
  return (
    <Card flush className="answer-card" {...(footer !== undefined && { footer })}>
      <Tabs
        label="Answer"
        value={tab}
        onChange={setTab}
        actions={answer && (tab === "tree" || tab === "json") && <CopyButton text={text} what="the JSON" withText />}
        tabs={[
          {
            value: "tree",
            label: "Answer",
            content: answer ? (
              <AnswerTree root={answer} moments={moments} lit={lit} onSeek={(moment) => onSeek(moment.from)} />
            ) : (
              nothing
            ),
          },
          ...(evidence === undefined ? [] : [{ value: "evidence" as const, label: "Evidence", content: evidence }]),
          {
            value: "json",
            label: "JSON",
            content: answer ? (
              <div className="card-body">
                <CodeBlock code={text} label="JSON" />
              </div>
            ) : (
              nothing
            ),
          },
          {
            value: "schema",
            label: "JSON Schema",
            content: (
              <div className="card-body stack-tight">
                <p className="muted">The answer conforms to this schema, which follows your text.</p>
                {jsonSchema !== undefined && (
                  <CodeBlock label="JSON Schema" code={printJson(parseJson(jsonSchema), 2)} />
                )}
              </div>
            ),
          },
          { value: "code", label: "Code", content: <RequestCode request={request} /> },
        ]}
      />
    </Card>
  );
}

function RequestCode({ request }: { readonly request: SnippetRequest }) {
  const [language, setLanguage] = useState<SnippetLanguage>("curl");
  return (
    <Tabs
      label="Language"
      value={language}
      onChange={setLanguage}
      actions={<CopyButton text={snippet(language, request)} what={languageNames[language]} withText />}
      tabs={snippetLanguages.map((value) => ({
        value,
        label: languageNames[value],
        content: (
          <div className="card-body stack-tight">
            <CodeBlock code={snippet(value, request)} label={languageNames[value]} />
            {value === "mcp" && request.video.kind === "file" && (
              <p className="field-note">
                A tool call cannot contain a file. Put the video at an address that the service can fetch.
              </p>
            )}
          </div>
        ),
      }))}
    />
  );
}

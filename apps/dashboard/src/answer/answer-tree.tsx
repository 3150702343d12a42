import "./answer.css";
import { ChevronRight, Clock3 } from "lucide-react";
import { type KeyboardEvent, memo, useState } from "react";
import { childPointer, type JsonNode } from "../json/json-node.ts";
import { type Moment, momentOfField } from "../moments/moment.ts";

type Links = {
  readonly moments: readonly Moment[];
  /** The pointers of the moments that the video is at. */
  readonly lit: ReadonlySet<string>;
  readonly onSeek: (moment: Moment) => void;
};

/** The answer as a tree. A field that belongs to a moment of the video is a button that seeks to it. */
export const AnswerTree = memo(function AnswerTree({ root, ...links }: Links & { readonly root: JsonNode }) {
  return (
    <ul className="tree" aria-label="Answer" onKeyDown={moveByKey}>
      {entriesOf(root, "").length === 0 || root.kind === "string" ? (
        <Leaf name={undefined} node={root} pointer="" {...links} />
      ) : (
        <Entries node={root} pointer="" {...links} />
      )}
    </ul>
  );
});

/** Moves between the rows, and opens and closes them, as trees of files do. */
function moveByKey(event: KeyboardEvent<HTMLUListElement>): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(".tree-toggle, .tree-leaf, .tree-more")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const row = rows[at];
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
  const expanded = row.getAttribute("aria-expanded");
  const branch = row.closest("ul")?.closest("li");
  const moves: Readonly<Record<string, () => void>> = {
    ArrowDown: () => rows[at + 1]?.focus(),
    ArrowUp: () => rows[at - 1]?.focus(),
    ArrowRight: () => (expanded === "false" ? row.click() : expanded === "true" && rows[at + 1]?.focus()),
    ArrowLeft: () => (expanded === "true" ? row.click() : branch?.querySelector<HTMLElement>(".tree-toggle")?.focus()),
    Home: () => rows[0]?.focus(),
    End: () => rows.at(-1)?.focus(),
  };
  const move = moves[event.key];
  if (!move) return;
  event.preventDefault();
  move();
}

type Entry = { readonly name: string; readonly pointer: string; readonly node: JsonNode };

function entriesOf(node: JsonNode, pointer: string): Entry[] {
  if (node.kind === "object") {
    return node.members.map(({ key, value }) => ({ name: key, pointer: childPointer(pointer, key), node: value }));
  }
  if (node.kind === "array") {
    return node.items.map((item, index) => ({
      name: String(index + 1),
      pointer: childPointer(pointer, index),
      node: item,
    }));
  }
  return [];
}

// Long lists are shown in parts, because a page with ten thousand rows is slow to lay out.
const shownAtOnce = 100;

function Entries({ node, pointer, ...links }: Links & { readonly node: JsonNode; readonly pointer: string }) {
  const [shown, setShown] = useState(shownAtOnce);
  const entries = entriesOf(node, pointer);
  return (
    <>
      {entries
        .slice(0, shown)
        .map((entry) =>
          isBranch(entry.node) ? (
            <Branch key={entry.pointer} entry={entry} {...links} />
          ) : (
            <Leaf key={entry.pointer} {...entry} {...links} />
          ),
        )}
      {entries.length > shown && (
        <li>
          <button type="button" className="tree-more" onClick={() => setShown(shown + shownAtOnce)}>
            Show {Math.min(shownAtOnce, entries.length - shown)} more of {entries.length}
          </button>
        </li>
      )}
    </>
  );
}

function Branch({ entry: { name, pointer, node }, ...links }: Links & { readonly entry: Entry }) {
  const [open, setOpen] = useState(true);
  const isLit = links.lit.has(pointer);
  return (
    <li className={isLit ? "tree-branch lit" : "tree-branch"} data-pointer={pointer}>
      <button type="button" className="tree-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight aria-hidden="true" />
        <span className="tree-key">{name}</span>
        <span className="tree-size">{sizeOf(node)}</span>
      </button>
      {open && (
        <ul>
          <Entries node={node} pointer={pointer} {...links} />
        </ul>
      )}
    </li>
  );
}

type LeafProps = Links & { readonly name: string | undefined; readonly pointer: string; readonly node: JsonNode };

function Leaf({ name, pointer, node, moments, lit, onSeek }: LeafProps) {
  const moment = momentOfField(moments, pointer);
  const isTime = moment?.fields.includes(pointer) ?? false;
  const className = `tree-leaf${lit.has(pointer) ? " lit" : ""}`;
  const content = (
    <>
      {name !== undefined && <span className="tree-key">{name}</span>}
      <span className={`tree-value tree-${node.kind}${isTime ? " tree-time" : ""}`}>
        {isTime && <Clock3 aria-hidden="true" />}
        {textOf(node)}
      </span>
    </>
  );
  return (
    <li data-pointer={pointer}>
      {moment ? (
        <button type="button" className={className} onClick={() => onSeek(isTime ? atField(moment, pointer) : moment)}>
          {content}
        </button>
      ) : (
        <div className={className} tabIndex={-1}>
          {content}
        </div>
      )}
    </li>
  );
}

/** The end of a span seeks to its end. */
function atField(moment: Moment, pointer: string): Moment {
  return moment.kind === "span" && pointer === moment.fields[1] ? { ...moment, from: moment.to } : moment;
}

function isBranch(node: JsonNode): boolean {
  return (node.kind === "object" && node.members.length > 0) || (node.kind === "array" && node.items.length > 0);
}

function sizeOf(node: JsonNode): string {
  if (node.kind === "array") return node.items.length === 1 ? "1 item" : `${node.items.length} items`;
  return "";
}

function textOf(node: JsonNode): string {
  switch (node.kind) {
    case "object":
      return "{}";
    case "array":
      return "[]";
    case "string":
      return node.text === "" ? '""' : node.text;
    case "number":
      return node.literal;
    case "boolean":
      return String(node.value);
    case "null":
      return "null";
    default:
      return node satisfies never;
  }
}

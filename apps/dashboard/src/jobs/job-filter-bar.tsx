import type { ProblemCode } from "@video-to-json/contract";
import type { KeyRecord } from "@video-to-json/contract/dashboard/keys";
import type { JobFilters } from "../api/queries.ts";
import { Button } from "../design/button.tsx";
import { Select } from "../design/select.tsx";

/** The codes with which a job can end. */
const failureCodes = [
  "extraction_failed",
  "media_unreadable",
  "video_unreachable",
  "video_too_long",
  "file_too_large",
  "out_of_minutes",
  "too_many_jobs",
  "provider_unavailable",
  "internal_error",
] satisfies ProblemCode[];

const statuses = [
  { value: "", label: "Any status" },
  { value: "queued", label: "Queued" },
  { value: "running", label: "Running" },
  { value: "succeeded", label: "Succeeded" },
  { value: "failed", label: "Failed" },
];

type JobFilterBarProps = {
  readonly filters: JobFilters;
  readonly keys: readonly KeyRecord[] | undefined;
  readonly onChange: (filters: JobFilters) => void;
};

/** The filters of the list of jobs: text, status, code, key and day. */
export function JobFilterBar({ filters, keys, onChange }: JobFilterBarProps) {
  const set = (name: keyof JobFilters, value: string) =>
    onChange({ ...filters, [name]: value === "" ? undefined : value });
  const codes = [{ value: "", label: "Any code" }, ...failureCodes.map((code) => ({ value: code, label: code }))];
  const named = [
    { value: "", label: "Any key" },
    { value: "playground", label: "Playground" },
    ...(keys ?? []).map(({ id, name }) => ({ value: id, label: name })),
  ];
  const day = (name: "from" | "to", label: string) => (
    <label className="day-filter">
      <span>{label}</span>
      <input
        type="date"
        className="input"
        value={filters[name] ?? ""}
        onChange={(event) => set(name, event.target.value)}
      />
    </label>
  );
  return (
    <search className="filter-bar">
      <form
        className="text-filter"
        onSubmit={(event) => {
          event.preventDefault();
          set("q", String(new FormData(event.currentTarget).get("q") ?? "").trim());
        }}
      >
        <input
          key={filters.q}
          type="search"
          name="q"
          className="input"
          aria-label="Name, id or text"
          title="Searches the newest 10,000 jobs: names, ids, schemas, instructions and answers"
          placeholder="Name, id or text"
          maxLength={200}
          defaultValue={filters.q}
        />
      </form>
      <Select
        label="Status"
        options={statuses}
        value={filters.status ?? ""}
        onChange={(value) => set("status", value)}
      />
      <Select label="Code" options={codes} value={filters.code ?? ""} onChange={(value) => set("code", value)} />
      <Select label="Key" options={named} value={filters.key_id ?? ""} onChange={(value) => set("key_id", value)} />
      {day("from", "From")}
      {day("to", "To")}
      {Object.values(filters).some(Boolean) && (
        <Button variant="quiet" onClick={() => onChange({})}>
          Clear
        </Button>
      )}
    </search>
  );
}

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { SchemaCheck } from "@video-to-json/contract/dashboard/jobs";
import { useEffect, useMemo, useState } from "react";
import { send } from "../api/request.ts";
import { jsonRemark, type Remark, remarksOf } from "./schema-remarks.ts";

const pauseMs = 250;

export type CheckedSchema = {
  readonly remarks: readonly Remark[];
  /** The JSON Schema of the text. While the text is invalid, that of the last valid text. */
  readonly jsonSchema: string | undefined;
  readonly kind: SchemaCheck["kind"] | undefined;
  readonly failure: unknown;
};

/** Checks a schema while the user types: first whether it is JSON, and after a pause whether the service accepts it. */
export function useSchemaCheck(text: string): CheckedSchema {
  const fault = useMemo(() => jsonRemark(text), [text]);
  const settled = useSettled(text);
  const isSettled = settled === text;
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["schema-check", settled],
    queryFn: () => send<SchemaCheck>("POST", "schema/check", { schema: settled }),
    enabled: isSettled && fault === undefined,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [jsonSchema, setJsonSchema] = useState<string>();
  const good = data?.json_schema;
  useEffect(() => {
    if (good) setJsonSchema(good);
  }, [good]);
  const remarks = useMemo(() => {
    if (fault) return isSettled ? [fault] : [];
    return data && isSettled && !isPlaceholderData ? remarksOf(data, settled.length) : [];
  }, [fault, data, isSettled, isPlaceholderData, settled]);
  return { remarks, jsonSchema, kind: data?.kind, failure: fault ? null : error };
}

/** Returns a text with a delay, so that it changes only when nothing was typed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

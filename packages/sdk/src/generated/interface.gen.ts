// Written by `pnpm sdk:generate`.

export interface components {
    schemas: {
        /** @description The part of the video to look at: only it is analysed and billed. It may be as long as a whole video may be, and be cut from a longer one. Times in the data count from the start of the whole video. */
        Clip: {
            /** @description Where the clip begins, as `MM:SS`; the start of the video if left out. */
            start?: string;
            /** @description Where the clip ends, as `MM:SS`; the end of the video if left out. */
            end?: string;
        };
        /**
         * @description How closely to look: `low` for what lasts, `standard` (as without it), `high` for short events and small text. The price is the same.
         * @enum {string}
         */
        Detail: "low" | "standard" | "high";
        /** @description Data that conforms to the schema. */
        ExtractResponse: {
            /**
             * Format: uuid
             * @description The job; readable later at `GET /v1/jobs/{id}`.
             */
            id: string;
            /** @description Conforms to the schema that was sent. */
            data: unknown;
            video: components["schemas"]["Video"];
            /** @description Cost of the job in seconds, never below the minimum cost of a job. */
            billed_seconds: number;
        };
        /** @description The video, as it was measured. */
        Video: {
            /** @description Measured from the bytes, to the millisecond; never taken from the request. */
            duration_seconds: number;
        };
        WarningEvent: {
            /** @description A JSON pointer into the schema. */
            path: string;
            /** @description What the place means as it is written. */
            message: string;
            /** @description What to write for another meaning. */
            hint: string;
        };
        /** @description The job has reached a new stage or attempt. */
        ProgressEvent: {
            /**
             * @description What the job does now. For people to watch.
             * @enum {string}
             */
            stage: "obtaining" | "probing" | "uploading" | "analysing" | "settling";
            /** @description The number of the question to the model: 1, 2 or 3. */
            attempt: number;
        };
        /** @description How many times of the answer got each verdict in its second look. */
        SecondLookEvent: {
            confirmed: number;
            moved: number;
            contradicted: number;
            unconfirmed: number;
            not_checked: number;
        };
        /** @description What went wrong. */
        ErrorInside: {
            code: components["schemas"]["ErrorCode"];
            /** @description For people: what is wrong and what to do. Do not parse it. */
            message: string;
            /** @description The specific parts: `<JSON pointer>: <reason>` about a schema or an answer. */
            details?: string[];
        };
        /**
         * @description Stable: it never changes its meaning and never names the model in use. Programs check this.
         * @enum {string}
         */
        ErrorCode: "unauthorised" | "schema_missing" | "schema_invalid" | "video_missing" | "video_unreachable" | "media_unreadable" | "video_too_long" | "file_too_large" | "out_of_minutes" | "too_many_jobs" | "rate_limited" | "extraction_failed" | "provider_unavailable" | "invalid_request" | "idempotency_mismatch" | "not_found" | "internal_error";
        /**
         * @description `queued`, then `running`, then `succeeded` or `failed`, which is final.
         * @enum {string}
         */
        JobStatus: "queued" | "running" | "succeeded" | "failed";
        /** @description One page of the account's extractions. */
        JobList: {
            /** @description Newest first. */
            jobs: components["schemas"]["JobSummary"][];
            /** @description Send it as `cursor` for the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description An extraction without its schema, instructions and data. */
        JobSummary: {
            /**
             * Format: uuid
             * @description The id of the job.
             */
            id: string;
            status: components["schemas"]["JobStatus"];
            /**
             * Format: date-time
             * @description When the request was admitted.
             */
            created_at: string;
            /** @description Null while queued. */
            started_at: string | null;
            /** @description Null until the job has finished. */
            finished_at: string | null;
            /** @description The clip of the request; null for the whole video. */
            clip: components["schemas"]["Clip"] | null;
            detail: components["schemas"]["Detail"];
            /** @description Null until the video was measured. */
            video: components["schemas"]["Video"] | null;
            /** @description 0 unless succeeded. */
            billed_seconds: number;
            /** @description The model that answered; null unless succeeded. */
            model: string | null;
            /** @description Null unless failed. */
            error: {
                code: components["schemas"]["ErrorCode"];
            } | null;
        };
        /** @description An extraction: queued, running or finished. */
        JobRecord: {
            /**
             * Format: uuid
             * @description The id of the job.
             */
            id: string;
            status: components["schemas"]["JobStatus"];
            /**
             * Format: date-time
             * @description When the request was admitted.
             */
            created_at: string;
            /** @description Null while queued. */
            started_at: string | null;
            /** @description Null until the job has finished. */
            finished_at: string | null;
            /** @description The schema as it was sent, with its key order and number literals. */
            schema: {
                [key: string]: unknown;
            };
            /** @description The instructions as they were sent; null without. */
            instructions: string | null;
            /** @description The clip of the request; null for the whole video. */
            clip: components["schemas"]["Clip"] | null;
            detail: components["schemas"]["Detail"];
            /** @description The data of the answer; null unless succeeded. */
            data: unknown;
            /** @description Null until the video was measured. */
            video: components["schemas"]["Video"] | null;
            /** @description 0 unless succeeded. */
            billed_seconds: number;
            /** @description The model that answered; null unless succeeded. */
            model: string | null;
            /** @description Null unless failed. */
            error: components["schemas"]["ErrorInside"] | null;
        };
        /** @description What shows each value of the data. */
        Evidence: {
            /**
             * Format: uuid
             * @description The job whose data this is about.
             */
            job_id: string;
            /**
             * @description `partial`: there was not enough time or budget for all checks. `unavailable`: nothing could be gathered.
             * @enum {string}
             */
            status: "complete" | "partial" | "unavailable";
            /** @description The measured length of the video. */
            duration_ms: number;
            /** @description By JSON pointer (RFC 6901) into `data`. A leaf is a string, number, boolean or null, or an empty array or object. Each occurs once, here or in `whole_video`. */
            fields: {
                [key: string]: components["schemas"]["FieldEvidence"];
            };
            /** @description Leaves that no single moment shows: a summary, a count, an empty list. */
            whole_video: string[];
            /** @description Optional keys of the schema that the data leaves out. */
            absent: string[];
        };
        /** @description The evidence of one value of the data, and the results of its checks. */
        FieldEvidence: {
            verdict: components["schemas"]["EvidenceVerdict"];
            /** @description Computed from the checks, never said by the model; null if nothing was checked. */
            confidence: number | null;
            /** @description Where the video shows it, in order of time. */
            spans: components["schemas"]["EvidenceSpan"][];
            /** @description The clip that a time was checked in; null if the time was not checked in a clip. */
            checked: {
                /** @description Where the clip began. */
                from_ms: number;
                /** @description Where it ended. */
                to_ms: number;
            } | null;
            /** @description For a time: the nearest hard cut. It does not change the time. Null without a cut nearby. */
            nearest_cut_ms: number | null;
        };
        /**
         * @description `confirmed`: a check found it where the spans say. `moved`: two checks of a time found it at another time. `contradicted`: a check found something else there, or nothing. `unconfirmed`: a check could not tell. `not_checked`: there was no check.
         * @enum {string}
         */
        EvidenceVerdict: "confirmed" | "moved" | "contradicted" | "unconfirmed" | "not_checked";
        /** @description A part of the video that shows a field. */
        EvidenceSpan: {
            /** @description Where it begins, from the start of the whole video. */
            start_ms: number;
            /** @description Where it ends; at most `duration_ms`. */
            end_ms: number;
            /**
             * @description What shows it: the picture, spoken words, or text: on the screen, or in a QR or bar code.
             * @enum {string}
             */
            modality: "visual" | "speech" | "text";
            /** @description The words that were said or are on the screen; null without. */
            quote: string | null;
            /** @description Whether a check found these words there; null if no check looked for them. */
            quote_found: boolean | null;
            /** @description What was read or heard there when it differs from the quote; null if nothing like it. */
            read?: string | null;
        };
        /** @description The account behind the key, and its balance. */
        Account: {
            /**
             * Format: email
             * @description The e-mail of the account behind the key.
             */
            email: string;
            /** @description The balance in seconds divided by sixty. */
            minutes_remaining: number;
            /** @description The balance in seconds. */
            seconds_remaining: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}

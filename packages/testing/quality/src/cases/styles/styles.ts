import { alarms } from "./alarms.ts";
import { bug } from "./bug.ts";
import { chapters } from "./chapters.ts";
import { highlights } from "./highlights.ts";
import { lecture } from "./lecture.ts";
import { meeting } from "./meeting.ts";
import { mentions } from "./mentions.ts";
import { safety } from "./safety.ts";
import type { Style } from "./style.ts";
import { texts } from "./texts.ts";

/** The styles of the cases. A seed draws one of them. */
export const styles: readonly Style[] = [safety, lecture, highlights, texts, alarms, meeting, chapters, bug, mentions];

import type { Picture, ProviderCheck } from "../analysis-provider.ts";
import { jsonSchema } from "./ask.ts";
import { ChatError, type ChatServer } from "./chat-server.ts";
import { showPictures, type TimeText, writeMessages } from "./write-messages.ts";

type CheckDeps = {
  readonly server: Pick<ChatServer, "complete">;
  readonly models: readonly string[];
  readonly timeText: TimeText;
  readonly extraBody: Readonly<Record<string, unknown>>;
  readonly log: Record<"info" | "error", (obj: object, msg: string) => void>;
};

const maxCheckMs = 120_000;
const digits = ["4", "7", "2"];
/** Pictures of 448 by 252 pixels with one digit each. */
const pictures: readonly Picture[] = [
  "/9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAgoKC8oLzc3Nzc3N0E8QUNDQ0FBQUFDQ0NISEhVVVVISEhDQ0hIUFBVVVxfXFdXVVdfX2RkZHh4c3OMjJGsrM//xAB7AAEBAQEBAQEBAAAAAAAAAAAACAcGBQEEAgEBAAAAAAAAAAAAAAAAAAAAABABAAECAQQOBwgDAQEAAAAAAAEDAhGxEgUEYVFxctFBM1MhIhMVFDKSgaIxY1Li4dKyQoKRoXPBwkPwYhEBAAAAAAAAAAAAAAAAAAAAAP/AABEIAPwBwAMBIgACEQADEQD/2gAMAwEAAhEDEQA/AN/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAcprGtU9WiM/GcfdEYY7vTMPfvvtp2zddOERGMou1ivdrFSb59UbUbQN971ofLU/a37x3rQ+Wp+1v3kwAKf71ofLU/a37x3rQ+Wp+1v3kwAKps0nRvutti2pjdMR7reP9TVkNUOWp7+3LC5QAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAZ5r2s+Hp4R57ui3Y2f/cYMs0lrWfd2Vs9W3zbN216srFn18AAAAB7VDlqe/tywuVDVDlqe/tywuUAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAH4b77ads3XThERjKLa9a6vUm+eP3RtRxQ0bSWtdpd2Vs9W2ets3fZlY0ADvNS1bxFTp8lvTdwesHM30rrLbLp6M/GY3I4/W8luWlowupR/8z/hhoAAPaoctT39uWFyoaoctT39uWFygAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM417WfD08LZ693RGxHHPA7epUtpWTfd0REYosr1rq9Sb7uP3RtRxQDxHwAfrssm+6LbYxmZwhaGrUI1enFkbsztyzfRuq5lva3R03eXYjb9eRtgJ00t5qe5OWGFt00t5qe5OWGFgAA9qhy1Pf25YXKhqhy1Pf25YXKAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADM9f1rsKebbPXv92xHHPADLNI612l/Z2z1bZ6dm77GPgA0HUtW8RU6fJb03bOx63F2WXVLottjGZnCFpavRt1enFkeudueOQe++gCdNLeanuTlhhbdNLeanuTlhhYAAPaoctT39uWFyoaoctT39uWFygAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA86pUtpWTfd7ohFdardXqTfdx/xHFDWdK1Ls+yn+XNzt2cZj+MGGAA0fUdW8RUxu8lvTOzO1wg1LRuq9nb2t0da6OrsW/bkbM+PoAAJ00t5qe5OWGFt00t5qe5OWGFgAA9qhy1Pf25YXKhqhy1Pf25YXKAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACX9K8vb/XH4rmQNf0ry9v8AXH4rmQAPVtrVbIwtvvtjai6Yj+JeUA6DxNfnanp3cJ4mvztT07uFz4DoPE1+dqendwnia/O1PTu4XPgP331L6nnuuuw+aZnK/AAAAP7iZicY6Jh7via/O1PTu4XPgOg8TX52p6d3C3DRdS+p2uffddhmYZ0zOHm203qA0R/2/R/sDfwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAS/pXl7f64/FcyBV+taj4m+L+0zcLc3DNx45n5o23Id0fG9j6wT+KA7o+N7H1ndHxvY+sE/igO6Pjex9Z3R8b2PrBP4oDuj43sfWd0fG9j6wT+O61vVfCzbGfnZ0TxYe71y4UAAAftstz77bfdnTEY7stz7o+N7H1gn9QGiP+36P9juj43sfW7/AFTVPC5/Xz87D8uGGGOzO2DQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAATppbzU9ycsMLbppbzU9ycsMLAAB7VDlqe/tywuVDVDlqe/tywuUAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAGC6TpVKl1PMsuuwifLbM5GNeGr81U9C7gW+AiDw1fmqnoXcB4avzVT0LuBb4CN6Or1oq05mlUiIvt/Jdt7iyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB//Z",
  "/9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAgoKC8oLzc3Nzc3N0E8QUNDQ0FBQUFDQ0NISEhVVVVISEhDQ0hIUFBVVVxfXFdXVVdfX2RkZHh4c3OMjJGsrM//xAB2AAEBAAIDAQEAAAAAAAAAAAAACAcGBAEFAwIBAQAAAAAAAAAAAAAAAAAAAAAQAQABAgEGDQMEAgMBAAAAAAABAgMxBUEh0ZERcbFyUhNTFNIEEiIVkoFhMsFCNDOy4aHwglERAQAAAAAAAAAAAAAAAAAAAAD/wAARCAD8AcADASIAAhEAAxEA/9oADAMBAAIRAxEAPwDP4AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAOPVV5aZmc0TOxif3WxzbmynvMmXf66+TVxIUBT/utjm3NlPePdbHNubKe8mABT/utjm3NlPePdbHNubKe8mABT/utjm3NlPePdbHNubKe8mABT/utjm3NlPePdbHNubKe8mABT/utjm3NlPePdbHNubKe8mABT/utjm3NlPePdbHNubKe8mABYFjx1rxFfkpiuJ3b9MRu/4qlv6WMl/yJ5E8cKnAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB5d3+uvk1cSFF13f66+TVxIUAAAAAAAAAAAABljJf8ieRPHCp07ZKtT5qruaI8sfecZ2KJAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB+Jjfol4XZrHVW/hTqbAA1/s1jqrfwp1HZrHVW/hTqbAA1/s1jqrfwp1HZrHVW/hTqbAA1/s1jqrfwp1HZrHVW/hTqbAA1/s1jqrfwp1MIZS6K35bdFFFM/lMxTETuzRohRFVUUxMzoiI3z9EQXrs3rlVc/unZGaNgPGAAfWImqYiNMzoh8mW8mWeku+ecKP8pw2Ygobw9qLFqmiM0afvOd7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA6Bh7Kd7yW4txjXjyY1ymJtXir3T3qqs2FPBH/d7VQAAFn+Ds9BZppzzpq4Z1YJ08BZ6a9G/wDGj1T+kbVdgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAMZ5RvdFZmI/Kv0xwZ9X1ZMR/wCOvdNend+NPpj6YztBoAAANu8JZ6e9TTmxq4I14AorJ9nobMTP5V+qeDNGxkd07AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABpXjb3QWapj8p9NPDOf6Yo1ZWyle6S95Iwt6P8A1n1MUgAAKiyZZ8lqa5xr/wAYw2p5sWpvXaaIzzp+0Z52LeiIpiIjRERugH1AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAa74i90Fqqv/5GjhnBsSbMqXvNXFqMKdM8M6o4wYWmZmd8534AAHPt0TcrpojGqdwM+ZKs7qars5/TTwRjO3iZ0cG3RFuimiMKY3OcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADzLtyLVFVc4Uxv8A9fVD1dU11TVONUzM/VnfKt78bUcqr9I/VPoAADOmSrO+qq7Ob008OednGwhETVMRGmZndC3rFqLNqmiM0afvOedoPcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAceqqKKZqnRERvn6OQwzlS95LcW4xr0zyY1yCfb1yb1yquf3TsjNH0h5AAA7Bl3Jlnz3ZrnCjDlTqVC1HwlnoLNNOfGrhnVg24AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABI3iaL9+7VX0V3dhT6KsIwzK5ARB2a/1Vz4Vajs1/qrnwq1LfARB2a/1Vz4Vam8eC8JcqvUzXRVTTT6vVTMb5jCNP3VOAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/9k=",
  "/9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAgoKC8oLzc3Nzc3N0E8QUNDQ0FBQUFDQ0NISEhVVVVISEhDQ0hIUFBVVVxfXFdXVVdfX2RkZHh4c3OMjJGsrM//xAB5AAEAAwEBAQEBAAAAAAAAAAAABgcIBQMEAQIBAQAAAAAAAAAAAAAAAAAAAAAQAQACAAMEBQoEBQUBAAAAAAACAREEAyExQXFRwQVhEqGisWPiMhWy0YETNOGR8CJCFGLSckNTkjMRAQAAAAAAAAAAAAAAAAAAAAD/wAARCAD8AcADASIAAhEAAxEA/9oADAMBAAIRAxEAPwC/wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAVJmu0P7edwqGMqw23ezbXl8gLbfNKUYbZXUed1XpZH1M/mNT+vw10R2eXf5UHu7leN3d337QbBlnstD/kq+WN+isEYl2roVujO/tVdbL4DRF9rR4aV/+sOq3h8X9T5/ss/ANGV2tDjpyrldX1UkEe08vLf4o86+mLKYDc+nraWr7k4y5Xt/be7DAW5Zeh2jraWyV/iR6L3/AGv64g1kI5oZjTzEcYXzq99c0jAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAZH7R/Mz5R+WmuGR+0fzM+UfloFcAAD9SaOV157tOf3rD04AjAnv9hmv+vzo/wCpwJ5fW0/e05VXThs/fcDggAAA6OnqT0pVKF4XTYGVzMczDxVsutkq6L+l8GLkyyev+BrRv+m9kuV8ftvBs0AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABkftH8zPlH5aa4VnqZGGtry1J3jWzCNd1cb+gMz6Whqa94Qjd9/Cud7l4aPZUa26ssf8AGOyv33+hdcYxhWEaqqrhWx9IOPp6Onpe5CMeVbf33uwAAAKnzXZ8NWrlp1UZ/tUufRfey9dXG7q6wutl03yzX2po1GcdSv69l86/T0ApQAAAG08pP8TL6cv8cL+2zqSxVnZl45flKS0wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAFOdq/wDxh/vr5bXGzt2rqYyhp1wxlf33AokAAH6DV/ZlYZeu+Ur6upZ7haGn+FpQh0RrHnx8rugAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA5Orqw0Y3Kd4V5b7qB5a2tHQhc5cN1dN9FMWampLVnKct8rxd7NZmWZnjeyNe7Ho/VEAAAFpdnZf8XV8d1/LDbzvhXWhGjoy151CPHffCq6bbL0dGOhCoR3V5b6bB2QAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQHN5yGWrD3p3uj133ekHXzGZhlo4y38I8b/jpZJ18xPMS8Ur5Vwrk5+pqT1ZXKd43f8bHNAAAdXS0p606hCsbvyd99z6NHQnrz8MK53wqum2ucvloZaOEdt370uN/p3A/jLZaOWhhW2796XTf06EsAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAFDZztDDHT0b28Z9UfqCQZzP1o4whhc/JH9e5mCUrld3d3d3vu3i/AAAEwy2VnmZYVsjW+XCvrbs5TJSzF+KX8sOnjfdX1aphCOnGoxqqquAPh0dGGhDwwrDpvjd9Nu2AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADzu6qsbvCq329GX+0cxOWpLSxwjHDZXHZjtB7ZzP3q4w09keMuMvpXpU0AAAC6Mn2fephPVrCPCPGXPor0q40NSGlLxT0/xMN1eLCvvsvFb3xf1Pn+wC/KqqrCtlVweigPi/qfP9g+L+p8/2AX+KA+L+p8/2D4v6nz/AGAX+KA+L+p8/wBg+L+p8/2AX+IHlM3/AHVS/k8Phw4444491J4AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAx1n/AMzqc6+WmxWOs/8AmdTnXy0CCgAAAAAAAAAAA0N2Ru1ecetfKhuyN2rzj1r5AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY6z/wCZ1OdfLTYoDAA3+AwAN/gMADf4DAA3+AwAN/gMADf4ChuyN2rzj1r5AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAH//2Q==",
].map((text, index) => ({ ms: 5_000 + index * 9_000, jpeg: Buffer.from(text, "base64") }));
const times = ["5", "14", "23"];

const system = "You look at pictures and answer exactly.";
/** The prompt asks for another form than the schema, so the answer tells which of the two rules. */
const prompt = "For each picture, write one line of plain text with its time and the digit that it shows.";
const text = { type: "string" };
const item = { type: "object", properties: { time: text, digit: text }, required: ["time", "digit"] };
const schema = { type: "object", properties: { pictures: { type: "array", items: item } }, required: ["pictures"] };

const advice = {
  answers: "See the words of the server: CHAT_BASE_URL, CHAT_API_KEY and CHAT_MODEL name what it does not take.",
  pictures:
    "The model did not see all pictures. Name a model that takes pictures, and allow the server enough of them.",
  times: "The model did not read the times of the pictures. Try the other CHAT_TIME_TEXT.",
  schema: "The server ignores the schema of an answer. The service still checks each answer, and more of them fail.",
};

/**
 * Asks each model once about three pictures: whether it answers, how many pictures arrive, whether it reads their times,
 * and whether the server enforces a schema. Logs each step. Never rejects.
 *
 * @returns the steps, and the least tokens that a model counted for a picture; null if none counted.
 */
export async function checkModels(deps: CheckDeps): Promise<{ checks: ProviderCheck[]; pictureTokens: number | null }> {
  const checks: ProviderCheck[] = [];
  let pictureTokens: number | null = null;
  const note = (step: string, isOk: boolean, words: string, about: keyof typeof advice) => {
    checks.push({ step, isOk, words: isOk ? "" : words, advice: isOk ? "" : advice[about] });
    if (isOk) deps.log.info({ step }, "provider check passed");
    else deps.log.error({ step, providerError: words, advice: advice[about] }, "provider check failed");
  };
  for (const model of deps.models) {
    try {
      const { content, reasoning, tokens } = await deps.server.complete(
        {
          ...{
            model,
            messages: writeMessages(
              { system, prompt },
              showPictures(pictures, deps.timeText, { words: null, maxCharacters: 0 }),
            ),
          },
          ...{ max_tokens: 1_024, temperature: 0, stream: true, stream_options: { include_usage: true } },
          response_format: jsonSchema(schema),
          ...deps.extraBody,
        },
        AbortSignal.timeout(maxCheckMs),
      );
      const answer = content || reasoning;
      note(`model ${model}`, true, "", "answers");
      const numbers = answer.match(/\d+/g)?.map((number) => String(Number(number))) ?? [];
      note(`pictures of ${model}`, includesInOrder(numbers, digits), answer, "pictures");
      note(`times of ${model}`, includesInOrder(numbers, times), answer, "times");
      note(`schema of ${model}`, followsSchema(answer), answer, "schema");
      if (tokens) {
        const each = (tokens.input - (system.length + prompt.length) / 4) / pictures.length;
        pictureTokens = Math.min(pictureTokens ?? each, each);
      }
    } catch (error) {
      const words = error instanceof ChatError ? `${error.status ?? "no reply"}: ${error.message}` : String(error);
      note(`model ${model}`, false, words, "answers");
    }
  }
  return { checks, pictureTokens };
}

function includesInOrder(all: readonly string[], wanted: readonly string[]): boolean {
  let at = 0;
  for (const one of all) if (one === wanted[at]) at += 1;
  return at === wanted.length;
}

function followsSchema(answer: string): boolean {
  try {
    return Array.isArray(JSON.parse(answer).pictures);
  } catch {
    return false;
  }
}

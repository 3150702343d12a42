import { ask } from "./ask.ts";

const { VIDEO_TO_JSON_URL: url, VIDEO_TO_JSON_API_KEY: apiKey, MODEL: model } = process.env;
const question = process.argv.slice(2).join(" ");
if (!url || !apiKey || !model || !question) {
  console.error("VIDEO_TO_JSON_URL=… VIDEO_TO_JSON_API_KEY=… MODEL=<provider/model> npm start -- <question>");
  process.exit(2);
}
console.log(await ask(question, model, { url, apiKey }));

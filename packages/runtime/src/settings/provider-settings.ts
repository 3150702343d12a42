import {
  byModel,
  chatModel,
  headersOf,
  jsonObject,
  modelNames,
  oneOf,
  price,
  readLimit,
  readPrice,
  secret,
  textLike,
  urlOf,
  wholeNumber,
} from "./kinds.ts";

const providers = ["gemini", "vertex", "chat"] as const;

type Chosen = { PROVIDER?: unknown; PROVIDER_FALLBACK?: unknown };

/** Returns whether a provider is the chosen one, or the one that takes over. */
const uses =
  (name: (typeof providers)[number]) =>
  ({ PROVIDER, PROVIDER_FALLBACK }: Chosen) =>
    PROVIDER === name || PROVIDER_FALLBACK === name;

/** The settings of all providers, and of what they may cost. */
export const provider = {
  PROVIDER: oneOf(providers)({
    default: "gemini",
    desc: "Who looks at the videos: `gemini`; `vertex` for Gemini on Vertex AI, in a region of Google Cloud; or `chat` for a server of chat completions, such as vLLM, llama.cpp or Ollama on your own machine. See [Local models](local-models.md). The settings of the other provider do nothing.",
  }),
  PROVIDER_FALLBACK: oneOf(providers)({
    default: undefined,
    desc: "A second provider, for jobs whose first one is unavailable before it has answered: each such job goes to it once, after half a minute at most, and its record names the model that answered. Off by default: it is a second company, or a second machine, that sees videos. See [Data at the provider](data-at-the-provider.md).",
    example: "chat",
  }),
  GEMINI_API_KEY: secret({
    default: undefined,
    requiredWhen: uses("gemini"),
    desc: "API key of Gemini, from a paid project: see [Data at the provider](data-at-the-provider.md). Required with PROVIDER=gemini.",
  }),
  GEMINI_BASE_URL: urlOf(["http:", "https:"])({
    default: "https://generativelanguage.googleapis.com",
    desc: "Address of the provider, or of a gateway in front of it; it may have a path. The variable `NODE_EXTRA_CA_CERTS` of Node names a file with the certificates of an own authority.",
  }),
  GEMINI_HEADERS: headersOf({
    default: {},
    desc: "Further headers of each request to the provider, for a gateway in front of it, as `name=value`, separated by commas; a comma in a value is `%2C`. A secret: logs never hold it.",
    example: "x-gateway-key=…",
  }),
  HTTPS_PROXY: urlOf(["http:", "https:"])({
    default: undefined,
    desc: "Proxy for requests to the provider over https, with CONNECT. It may hold a user and a password. Only the provider is asked through it: what callers name in `video_url` is fetched directly, behind the service's own guard.",
    example: "http://proxy.example.com:3128",
  }),
  NO_PROXY: textLike(
    /./,
    "a list of hosts",
  )({
    default: undefined,
    desc: "Hosts to which HTTPS_PROXY does not apply, separated by commas, each with an optional port; `.example.com` means its subdomains, `*` all hosts.",
    example: "gateway.example.com,.internal.example.com",
  }),
  GEMINI_MODEL: modelNames({
    default: ["gemini-3.5-flash-lite", "gemini-3.8-flash"],
    desc: "Small models, for the first two attempts of a job and for its checks, separated by commas. The next one answers while the one before is overloaded, retired or out of quota.",
  }),
  GEMINI_MAX_INLINE_BYTES: wholeNumber(
    0,
    60_000_000,
  )({
    default: 15_000_000,
    desc: "Videos of up to this size go inside their questions: one request in place of five, and nothing to delete. Larger ones go through the Files API. Each way is the fallback of the other; with 0 all videos go through the Files API. A gateway may allow less.",
  }),
  PROVIDER_CHECK: oneOf(["off", "on"])({
    default: "on",
    desc: "Whether a worker tries the key, the models and an upload at its start, as `admin provider check` does: `off` or `on`. It costs less than a cent. The log has the results, and no start waits for them.",
  }),
  ALLOW_FREE_TIER: oneOf(["off", "on"])({
    default: "off",
    desc: "Whether jobs start although the key belongs to the unpaid tier of Gemini: `off` or `on`. Google may use what it gets there, and people may see it. See [Data at the provider](data-at-the-provider.md).",
  }),
  GEMINI_USD_PER_MILLION: byModel(
    "input/output or input/output/cached",
    readPrice,
  )({
    default: {},
    desc: "Prices of a million tokens in US dollars by model, as `model=input/output/cached`, separated by commas. They replace those that the service knows. Output includes thinking. Budgets of checks, the metric `video_to_json_model_cost_usd_total` and PROVIDER_DOLLARS_PER_DAY use them; callers are not charged by them. A model without a price counts as a dear one.",
    example: "gemini-3.5-flash-lite=0.30/2.50/0.03",
  }),
  PROVIDER_DOLLARS_PER_DAY: wholeNumber(
    0,
    1_000_000,
  )({
    default: 0,
    desc: "What all workers together may spend at the provider in a day (UTC), in US dollars by the estimate of prices; 0 sets no limit. At 80 % an alert fires and checks of answers end; at 100 % no further job starts. Redis has the count.",
  }),
  ACCOUNT_DOLLARS_PER_DAY: wholeNumber(
    0,
    1_000_000,
  )({
    default: 0,
    desc: "What the jobs of one account, charged or not, may cost at the provider in a day (UTC), in US dollars by the estimate of prices; 0 sets no limit. Beyond it they end as rate_limited. Redis has the count.",
  }),
  GEMINI_LIMITS: byModel(
    "questions/tokens, questions/tokens/questions a day or questions/tokens/questions a day/dollars",
    readLimit,
  )({
    default: {},
    desc: "What each model may take from all workers together, as `model=questions a minute/tokens a minute/questions a day/dollars in ten minutes`, separated by commas. The last two may be left out. A question beyond that goes to the next model, or waits. Checks of answers leave a fifth of it. Without it, only the provider's refusals count.",
    example: "gemini-3.5-flash-lite=1000/4000000/100000/10",
  }),
  GEMINI_THINKING_LEVEL: byModel("MINIMAL, LOW, MEDIUM or HIGH", (text) =>
    ["MINIMAL", "LOW", "MEDIUM", "HIGH"].find((level) => level === text),
  )({
    default: {},
    desc: "How much a model thinks, as `model=LOW`, separated by commas. Otherwise the model decides. Some models refuse MINIMAL.",
    example: "gemini-3.8-flash=LOW",
  }),
  GEMINI_CLIP_RESOLUTION: byModel("LOW, MEDIUM or HIGH", (text) =>
    ["LOW", "MEDIUM", "HIGH"].includes(text) ? `MEDIA_RESOLUTION_${text}` : undefined,
  )({
    default: {},
    desc: "How large the pictures are in which a model looks at clips, as `model=HIGH`, separated by commas. HIGH reads small clocks better and costs four times as much a picture. Otherwise the model decides.",
    example: "gemini-3.5-flash-lite=HIGH",
  }),
  GEMINI_MODEL_LARGE: modelNames({
    default: ["gemini-3.8-flash"],
    desc: "Large models, for the third and last attempt, separated by commas.",
  }),
  VERTEX_PROJECT: textLike(
    /^[a-z][a-z0-9:.-]{4,62}$/,
    "the id of a project",
  )({
    default: undefined,
    requiredWhen: uses("vertex"),
    desc: "Id of the project in Google Cloud. Required with PROVIDER=vertex. Models, limits and prices are those of the settings that begin with `GEMINI_`.",
    example: "my-project",
  }),
  VERTEX_LOCATION: textLike(
    /^[a-z]+(-[a-z]+\d+)?$/,
    "a region",
  )({
    default: undefined,
    requiredWhen: uses("vertex"),
    desc: "Region in which Vertex AI looks at videos, or `global`. Required with PROVIDER=vertex.",
    example: "europe-west4",
  }),
  VERTEX_BUCKET: textLike(
    /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/,
    "the name of a bucket",
  )({
    default: undefined,
    desc: "Bucket of Cloud Storage for videos above GEMINI_MAX_INLINE_BYTES, in the same region, without soft delete and versioning. Each is deleted with its job. Without a bucket, videos are made small enough to go inside questions.",
    example: "my-project-videos",
  }),
  VERTEX_CREDENTIALS: textLike(
    /^\//,
    "an absolute path",
  )({
    default: undefined,
    desc: "File with the key of a service account, as JSON. Without it, the account of the machine is used, which the metadata server of Google Cloud knows.",
    example: "/run/secrets/vertex.json",
  }),
  VERTEX_BASE_URL: urlOf(["http:", "https:"])({
    default: undefined,
    desc: "Address of Vertex AI, for a private endpoint; that of the region if not given.",
  }),
  VERTEX_STORAGE_URL: urlOf(["http:", "https:"])({
    default: "https://storage.googleapis.com",
    desc: "Address of Cloud Storage, for a private endpoint.",
  }),
  CHAT_BASE_URL: urlOf(["http:", "https:"])({
    default: undefined,
    requiredWhen: uses("chat"),
    desc: "Address of the server of chat completions, up to `/v1`. With http, only an address that is not public. Required with PROVIDER=chat.",
    example: "http://vllm:8000/v1",
  }),
  CHAT_API_KEY: secret({ default: undefined, desc: "Key of that server, sent as a bearer token, if it wants one." }),
  CHAT_MODEL: chatModel({
    default: undefined,
    requiredWhen: uses("chat"),
    desc: "Model that takes pictures, by the server's name for it. Required with PROVIDER=chat.",
    example: "Qwen/Qwen3-VL-8B-Instruct",
  }),
  CHAT_MODEL_LARGE: chatModel({
    default: undefined,
    desc: "Model of the third and last attempt; CHAT_MODEL if not given.",
    example: "Qwen/Qwen3-VL-32B-Instruct",
  }),
  CHAT_MODEL_CLIPS: chatModel({
    default: undefined,
    desc: "Model that looks at narrow clips in the checks of answers; CHAT_MODEL if not given.",
    example: "TencentARC/TimeLens2-8B",
  }),
  CHAT_VIDEO: oneOf(["pictures", "video_url", "input_video"])({
    default: "pictures",
    desc: "What a question holds: `pictures`, each after its time, which every server takes; or the whole video without its sound, with a clock below the picture, as `video_url` for vLLM and SGLang or `input_video` for llama.cpp. See [Local models](local-models.md).",
  }),
  TRANSCRIPTION_URL: urlOf(["http:", "https:"])({
    default: undefined,
    desc: "Address of a recogniser of speech, up to `/v1`, that takes `POST …/audio/transcriptions` with times of words, such as vLLM with Whisper, faster-whisper or whisper.cpp. With PROVIDER=chat, its words go into questions; with every provider, quotes of speech are compared with them. With http, only an address that is not public. If it fails, a job continues without words.",
    example: "http://whisper:8000/v1",
  }),
  TRANSCRIPTION_KEY: secret({
    default: undefined,
    desc: "Key of the recogniser, sent as a bearer token, if it wants one.",
  }),
  TRANSCRIPTION_MODEL: chatModel({
    default: "whisper-1",
    desc: "Model of the recogniser, by its own name for it.",
    example: "openai/whisper-large-v3-turbo",
  }),
  CHAT_TIME_TEXT: oneOf(["MM:SS", "seconds"])({
    default: "MM:SS",
    desc: "How the time before each picture is written: `MM:SS` as `00:07`, or `seconds` as `<7.0 seconds>`, which Qwen3-VL and later learnt.",
  }),
  CHAT_CONTEXT_TOKENS: wholeNumber(
    2048,
    10_000_000,
  )({
    default: 32_768,
    desc: "What a question and its answer may have together, in tokens, as the server is set up. Fewer pictures are sent where all do not fit.",
  }),
  CHAT_EXTRA_BODY: jsonObject({
    default: {},
    desc: "Further members of each request, as a JSON object, such as what turns thinking off. They replace ours.",
    example: '{"chat_template_kwargs":{"enable_thinking":false}}',
  }),
  CHAT_USD_PER_MILLION: price({
    default: undefined,
    desc: "Price of a million tokens in US dollars, as `input/output` or `input/output/cached`; `0.10/0.40` if not given. Budgets of checks follow it, so it is never 0, also on your own machine.",
    example: "0.10/0.40",
  }),
};

/** What a caller does instead of sending the address of a page. */
const advice = {
  page: "Download the video, and send the file or its own address",
  drive:
    "For a file that everybody with the link may read, send https://drive.google.com/uc?export=download&id=<ID>, with the ID of the link",
  dropbox: "End the address with `dl=1` instead of `dl=0`",
  s3: "Send a presigned URL, which `aws s3 presign s3://<bucket>/<key>` prints",
};

type PageHost = {
  name: string;
  hosts: RegExp;
  advice: string;
  /** Addresses of this host that answer with the file. */
  files?: RegExp;
};

// A download of such a host has a path that ends like a video.
const videoFile = /\.(mp4|m4v|mov|webm|mkv)$/i;

const pageHosts: readonly PageHost[] = [
  { name: "YouTube", hosts: /^(.+\.)?(youtube\.com|youtube-nocookie\.com|youtu\.be)$/, advice: advice.page },
  { name: "Vimeo", hosts: /^((www|player)\.)?vimeo\.com$/, advice: advice.page, files: /progressive_redirect|\.mp4/ },
  { name: "TikTok", hosts: /^((www|m|vm|vt)\.)?tiktok\.com$/, advice: advice.page },
  { name: "Instagram", hosts: /^(www\.)?instagram\.com$/, advice: advice.page },
  { name: "Facebook", hosts: /^((www|m|web)\.)?(facebook\.com|fb\.watch)$/, advice: advice.page },
  { name: "X", hosts: /^((www|mobile)\.)?(x|twitter)\.com$/, advice: advice.page },
  { name: "Twitch", hosts: /^((www|m|clips)\.)?twitch\.tv$/, advice: advice.page },
  { name: "Loom", hosts: /^(www\.)?loom\.com$/, advice: advice.page },
  { name: "Dailymotion", hosts: /^((www)\.)?(dailymotion\.com|dai\.ly)$/, advice: advice.page },
  { name: "OneDrive", hosts: /^(1drv\.ms|onedrive\.live\.com)$/, advice: advice.page, files: /\/download|download=1/ },
  { name: "iCloud", hosts: /^((www|share)\.)?icloud\.com$/, advice: advice.page },
  { name: "Google Photos", hosts: /^(photos\.google\.com|photos\.app\.goo\.gl)$/, advice: advice.page },
  { name: "Google Drive", hosts: /^drive\.google\.com$/, advice: advice.drive, files: /export=download/ },
  { name: "Dropbox", hosts: /^(www\.)?dropbox\.com$/, advice: advice.dropbox, files: /[?&](dl|raw)=1/ },
  { name: "the console of AWS", hosts: /^([\w-]+\.)?console\.aws\.amazon\.com$/, advice: advice.s3 },
];

/**
 * Returns why a URL leads to a page and not to a video, and what to do, as the start of a sentence or two; undefined for
 * any other URL. It knows the hosts from which callers copy links.
 */
export function pageFault(url: URL): string | undefined {
  const host = url.hostname.toLowerCase().replace(/\.$/, "");
  const page = pageHosts.find(({ hosts }) => hosts.test(host));
  if (!page || page.files?.test(url.pathname + url.search)) return undefined;
  if (page.advice === advice.page && videoFile.test(url.pathname)) return undefined;
  return `The URL leads to a page of ${page.name}, not to the video. ${page.advice}.`;
}

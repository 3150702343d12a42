import { openApiDocument } from "@video-to-json/contract";

/** The interface description as it is sent. Its server is the public address or, without one, where it was read from. */
export function description({ publicUrl }: { readonly publicUrl: string | undefined }): Buffer {
  return Buffer.from(JSON.stringify(openApiDocument(publicUrl ?? "/")));
}

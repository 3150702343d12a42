/** A refusal in Gemini's form: HTTP status, name of the google.rpc.Code, message and typed details. */
export class ApiError extends Error {
  readonly httpStatus: number;
  readonly status: string;
  readonly details: readonly object[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(httpStatus: number, status: string, message: string, extra: ApiErrorExtra = {}) {
    super(message);
    this.name = "ApiError";
    this.httpStatus = httpStatus;
    this.status = status;
    this.details = extra.details ?? [];
    this.headers = extra.headers ?? {};
  }

  /** Returns the body on the wire. */
  toBody(): object {
    const { httpStatus: code, message, status, details } = this;
    return { error: { code, message, status, ...(details.length > 0 ? { details } : {}) } };
  }
}

type ApiErrorExtra = { details?: readonly object[]; headers?: Readonly<Record<string, string>> };

/** Returns the refusal of an invalid request: 400 INVALID_ARGUMENT. */
export function invalidArgument(message: string, extra?: ApiErrorExtra): ApiError {
  return new ApiError(400, "INVALID_ARGUMENT", message, extra);
}

/** Returns the refusal of a file that is missing, has expired or belongs to another key. Gemini answers all three alike. */
export function noSuchFile(id: string): ApiError {
  const message = `You do not have permission to access the File ${id} or it may not exist.`;
  return new ApiError(403, "PERMISSION_DENIED", message);
}

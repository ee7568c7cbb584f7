import type { TransportHead } from './transport.js';

/** Status, headers and request id of an answer. */
export interface CallResponse {
  readonly status: number;
  readonly requestId: string | undefined;
  /** Names in lower case. */
  readonly headers: TransportHead['headers'];
}

/** A running call: a promise of its answer. */
export interface Call<T> extends Promise<T> {
  /** The same answer with its status, request id and headers. */
  withResponse(): Promise<CallResponse & { readonly data: T }>;
}

/** Takes the head of the answer that a call ends with. */
export type NoteResponse = (response: CallResponse) => void;

/** Starts a call whose head can be asked for. */
export function startCall<T>(run: (note: NoteResponse) => Promise<T>): Call<T> {
  const seen: { response?: CallResponse } = {};
  const promise = run((response) => (seen.response = response));
  const withResponse: Call<T>['withResponse'] = async () => {
    const data = await promise;
    return { ...(seen.response as CallResponse), data };
  };
  return Object.assign(promise, { withResponse });
}

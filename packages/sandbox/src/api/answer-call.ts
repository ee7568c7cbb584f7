import type { Response } from 'express';
import type { SandboxContext } from '../context.js';
import { changeReply } from '../faults/change-reply.js';
import { failBeforeWork } from '../faults/fail-before-work.js';
import { sendReply } from '../faults/send-reply.js';
import type { Operation } from '../operation.js';
import { loggedRequestOf } from './accept-call.js';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Does the work of a call whose body was found good, and answers it; or plays the next fault of
 * its operation. Whatever can be refused is refused before this, so that no fault is used up by it.
 */
export async function answerCall(
  context: SandboxContext,
  operation: Operation,
  response: Response,
  work: () => JsonObject | readonly JsonObject[] | Promise<JsonObject>,
  sentCursor?: string,
): Promise<void> {
  const entry = loggedRequestOf(response);
  const fault = context.faults.take(operation);
  if (fault !== undefined && failBeforeWork(fault, response)) return;
  const reply = changeReply(fault?.fault, await work(), sentCursor);
  await sendReply(reply, fault, { faults: context.faults, response, entry });
}

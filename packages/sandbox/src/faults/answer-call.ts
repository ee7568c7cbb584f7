import type { Response } from 'express';
import type { SandboxContext } from '../context.js';
import type { Operation } from '../logged-request.js';
import { changeReply, type Reply } from './change-reply.js';
import { playFault } from './play-fault.js';

/**
 * Does the work of a valid call and answers it, or plays the next fault of its operation. Refuse
 * invalid calls before this, so that they use up no fault.
 */
export async function answerCall(
  context: SandboxContext,
  operation: Operation,
  response: Response,
  work: () => Reply | Promise<Reply>,
  sentCursor?: string,
): Promise<void> {
  const { fault, isAnswered } = await playFault(context, operation, response);
  if (!isAnswered) response.json(changeReply(fault?.fault, await work(), sentCursor));
}

/** A control route: one entry is what is registered, and what `/openapi.json` says about it. */
import type { Router } from 'express';
import { type Request, type Response } from 'express';
import { z } from 'zod';
import { parseBody } from '../http/errors.js';
import { integer, text } from '../schemas.js';
import type { SandboxControl } from './sandbox-control.js';

/** What the errors of these routes name in place of a section of the spec. */
export const SECTION = 'control routes';

interface Input<Query, Body> {
  /** The parameter of the path. */
  readonly id: string;
  readonly query: Query;
  readonly body: Body;
  readonly request: Request;
  readonly response: Response;
}

interface RouteOf<Query extends z.ZodType, Body extends z.ZodType, Answer extends z.ZodType> {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Below `/_sandbox`, as Express writes it. */
  readonly path: string;
  readonly summary: string;
  /** The command of `pay-sandbox` for it. `<…>` are words that follow: the parameter of the path, then fields by name. */
  readonly command?: string;
  readonly query?: Query;
  readonly body?: Body;
  /** Of the answer as JSON. Without it: 204. */
  readonly answer?: Answer;
  /** Default 200. */
  readonly status?: number;
  /** Set where the route writes its own answer. */
  readonly mediaType?: string;
  handle(
    control: SandboxControl,
    input: Input<z.output<Query>, z.output<Body>>,
  ): z.input<Answer> | Promise<z.input<Answer>>;
}

export type ControlRoute = RouteOf<z.ZodType, z.ZodType, z.ZodType>;

/** Checks that the handler gives what the entry says. */
export function route<
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Answer extends z.ZodType = z.ZodVoid,
>(entry: RouteOf<Query, Body, Answer>): ControlRoute {
  return entry;
}

/** Registers them: checks what comes in, and writes what the handler gives. */
export function addRoutes(
  router: Router,
  routes: readonly ControlRoute[],
  control: SandboxControl,
) {
  for (const each of routes) {
    const { query, body, answer, status = 200, mediaType } = each;
    router[each.method](each.path, async (request, response) => {
      const [id = ''] = Object.values(request.params);
      const given = await each.handle(control, {
        id: String(id),
        query: query && parseBody(query, request.query, SECTION),
        body: body && parseBody(body, request.body, SECTION),
        request,
        response,
      });
      if (mediaType !== undefined) return;
      if (answer === undefined) response.status(204).end();
      else response.status(status).json(given);
    });
  }
}

export const wholeNumber = z
  .string()
  .regex(/^\d{1,12}$/, 'expected a whole number')
  .transform(Number);

/** Headers and body of one direction. */
export const recordedMessage = z.object({
  headers: z.record(text, text),
  body: text.optional(),
  bytes: integer.optional(),
  isCut: z.boolean().optional(),
});

export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly();
}

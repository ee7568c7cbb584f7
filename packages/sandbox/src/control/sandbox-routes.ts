import { z } from 'zod';
import { invalidBody } from '../http/errors.js';
import { reportSchedule } from '../resources/report-book.js';
import { scheduledTransferList } from '../resources/scheduled-transfers.js';
import { integer, text } from '../schemas.js';
import { listOf, route, SECTION } from './route.js';
import type { SandboxControl } from './sandbox-control.js';

const clock = z.object({ now: text, offsetSeconds: z.number() });

const move = z.union(
  [z.strictObject({ advanceSeconds: z.number() }), z.strictObject({ now: z.iso.datetime() })],
  'expected {"advanceSeconds": 60} or {"now": "2026-01-31T12:00:00.000Z"}',
);

/** The sandbox as a whole: what there is, its clock, and the way back to the start. */
export const SANDBOX_ROUTES = [
  route({
    method: 'get',
    path: '/about',
    command: 'about',
    summary: 'Read the scenarios, the merchants, the SDK, and which faults there are',
    answer: z.object({
      scenarios: listOf(z.object({ name: text, cardNumber: text, title: text, description: text })),
      merchants: listOf(z.object({ id: integer, name: text, currency: text })),
      partners: listOf(z.object({ name: text })),
      sdk: z.object({ path: text, integrity: text }),
      faults: z.record(text, listOf(text)),
      faultKinds: z.record(text, text),
    }),
    handle: (control) => control.describe(),
  }),
  route({
    method: 'get',
    path: '/schedules',
    command: 'schedules',
    summary: 'List the report schedules',
    answer: z.object({ schedules: listOf(reportSchedule) }),
    handle: (control) => ({ schedules: control.schedules() }),
  }),
  route({
    method: 'get',
    path: '/signup-links',
    command: 'signup-links',
    summary: 'List until when each signup link is valid',
    answer: z.object({ signupLinks: listOf(z.object({ merchantId: integer, validUntil: text })) }),
    handle: (control) => ({ signupLinks: control.signupLinks() }),
  }),
  route({
    method: 'get',
    path: '/transfers',
    command: 'transfers',
    summary: 'List the scheduled transfers',
    answer: z.object({ transfers: scheduledTransferList }),
    handle: (control) => ({ transfers: control.transfers() }),
  }),
  route({
    method: 'get',
    path: '/clock',
    command: 'clock',
    summary: 'Read the time',
    answer: clock,
    handle: readClock,
  }),
  route({
    method: 'post',
    path: '/clock',
    command: 'clock advance <advanceSeconds>',
    summary: 'Move the time: schedules, sessions, webhooks and Date follow',
    body: move,
    answer: clock,
    handle(control, { body }) {
      moveClock(control, body);
      return readClock(control);
    },
  }),
  route({
    method: 'post',
    path: '/reset',
    command: 'reset',
    summary: 'Go back to the start; seed: with other past transactions',
    body: z.strictObject({ seed: text.optional() }).default({}),
    handle: (control, { body }) => control.reset(body.seed),
  }),
];

function readClock({ clock: virtual }: SandboxControl): z.output<typeof clock> {
  return { now: virtual.nowText(), offsetSeconds: virtual.offsetSeconds };
}

function moveClock({ clock: virtual }: SandboxControl, to: z.output<typeof move>): void {
  try {
    if ('now' in to) virtual.set(new Date(to.now));
    else virtual.advance(to.advanceSeconds);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const field = 'now' in to ? 'now' : 'advanceSeconds';
    throw invalidBody(SECTION, { field, message: error.message });
  }
}

import { z } from 'zod';
import { text } from '../schemas.js';
import { switchesChange } from '../switches.js';
import { listOf, route } from './route.js';

const switches = z.object({
  switches: listOf(
    z.object({
      name: text,
      value: z.unknown(),
      default: z.unknown(),
      section: text,
      what: text,
      environment: text,
      schema: z.record(text, z.unknown()),
    }),
  ),
});

/** What the spec does not show. */
export const SWITCH_ROUTES = [
  route({
    method: 'get',
    path: '/switches',
    command: 'switches',
    summary: 'List what the specification does not show, and what is assumed',
    answer: switches,
    handle: (control) => ({ switches: control.describeSwitches() }),
  }),
  route({
    method: 'patch',
    path: '/switches',
    summary: 'Change switches; null: as at the start',
    body: switchesChange,
    answer: switches,
    handle(control, { body }) {
      control.setSwitches(body);
      return { switches: control.describeSwitches() };
    },
  }),
];

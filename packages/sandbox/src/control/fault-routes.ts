import { z } from 'zod';
import { faultBody } from '../faults/fault-body.js';
import { integer } from '../schemas.js';
import { listOf, route } from './route.js';

const faults = z.object({ queued: listOf(faultBody), held: integer });

/** Faults that wait for a call, and calls that wait for their release. */
export const FAULT_ROUTES = [
  route({
    method: 'get',
    path: '/faults',
    command: 'faults',
    summary: 'List the faults that wait for a call, and count the held calls',
    answer: faults,
    handle: (control) => control.faults(),
  }),
  route({
    method: 'post',
    path: '/faults',
    command: 'faults add <operation> <fault>',
    summary: 'Add a fault for the next valid calls of an operation',
    body: faultBody,
    status: 201,
    answer: faults,
    handle(control, { body }) {
      control.addFault(body);
      return control.faults();
    },
  }),
  route({
    method: 'delete',
    path: '/faults',
    command: 'faults clear',
    summary: 'Clear the faults, and answer the held calls',
    handle: (control) => control.releaseFaults(),
  }),
];

import type * as Https from 'node:https';

// An import of `node:http` reads all that it exports, and one part of that is a whole second HTTP
// client: it would make every process start about 30 ms later.

/** `node:http` */
export const http = process.getBuiltinModule('node:http');

/** `node:https`, loaded when it is needed. */
export function loadHttps(): typeof Https {
  return process.getBuiltinModule('node:https');
}

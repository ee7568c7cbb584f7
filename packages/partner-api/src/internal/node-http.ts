// An import of `node:http` reads all that it exports, and one part of that is a whole second HTTP
// client: it would make every process start about 30 ms later.

/** `node:http` */
export const http = process.getBuiltinModule('node:http');

/** `node:https` */
export const https = process.getBuiltinModule('node:https');

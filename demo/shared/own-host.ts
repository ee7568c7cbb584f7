import type { IncomingMessage } from 'node:http';

/** Whether a request names us: another name may be made to point to this machine, by any page (DNS rebinding). */
export function isOwnHost({ headers, socket }: IncomingMessage, publicUrl: string): boolean {
  const { host } = headers;
  return host === new URL(publicUrl).host || host === `127.0.0.1:${String(socket.localPort)}`;
}

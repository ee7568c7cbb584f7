import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { findFreePort } from './ports.js';

const servers: Server[] = [];

async function occupy(host: string, port = 0): Promise<number> {
  const server = createServer().listen({ port, host });
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

describe('finding a port', () => {
  it('takes the wanted one when it is free', async () => {
    const { port: free } = await findFreePort(0);
    expect(await findFreePort(free)).toEqual({ wanted: free, port: free });
  });

  it('takes the next free one when a program listens there', async () => {
    const taken = await occupy('127.0.0.1');
    const { wanted, port } = await findFreePort(taken);
    expect(wanted).toBe(taken);
    expect(port).toBeGreaterThan(taken);
  });

  it('never gives one port to two processes', async () => {
    const { port: free } = await findFreePort(0);
    expect((await findFreePort(free, new Set([free]))).port).toBeGreaterThan(free);
  });
});

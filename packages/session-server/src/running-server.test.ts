import { describe, expect, it } from 'vitest';
import { TestStack } from './testing/test-stack.js';

describe('a server that stops', () => {
  it('behind proxies is not ready for three seconds, in which it answers', async () => {
    const stack = await TestStack.start();
    try {
      const closed = stack.server.closeBehindProxies();
      expect(await stack.fetch('/readyz')).toMatchObject({
        status: 503,
        body: { code: 'not_ready', detail: 'The server is stopping.' },
      });
      expect((await stack.fetch('/healthz')).status).toBe(200);
      expect((await stack.open('A1001', { amount: '9.99' })).status).toBe(200);
      await closed;
      await expect(stack.fetch('/healthz')).rejects.toThrow();
    } finally {
      await stack.close();
    }
  });
});

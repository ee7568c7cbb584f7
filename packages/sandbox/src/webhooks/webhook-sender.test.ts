import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VirtualClock } from '../clock.js';
import { startReceiver } from '../testing/test-sandbox.js';
import { WebhookSender, type Webhook } from './webhook-sender.js';

function makeSender(pausesSeconds: readonly number[], timeoutSeconds = 5): WebhookSender {
  const sender = new WebhookSender(new VirtualClock(), {
    webhookSigning: 'none',
    webhookPausesSeconds: [...pausesSeconds],
    webhookTimeoutSeconds: timeoutSeconds,
    webhookDelaySeconds: 0,
  });
  onTestFinished(() => sender.close());
  return sender;
}

function webhookTo(url: string): Webhook {
  return { url, event: 'e', sessionId: 's', orderId: 71, payload: { hello: true } };
}

describe('WebhookSender', () => {
  it('retries until it is answered with 2xx, and logs every attempt under one id', async () => {
    const sender = makeSender([0.01, 0.01, 0.01, 0.01]);
    const receiver = await startReceiver([500, 302]);
    sender.send(webhookTo(receiver.url));
    await receiver.whenReceived(3);
    await expect
      .poll(() => sender.deliveries().map(({ status }) => status))
      .toEqual([500, 302, 200]);
    expect(sender.deliveries().map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(sender.deliveries().map(({ webhook }) => webhook)).size).toBe(1);
    expect(receiver.received).toHaveLength(3);
  });

  it('gives up after the last pause', async () => {
    const sender = makeSender([0.01]);
    const receiver = await startReceiver([500, 500, 500]);
    sender.send(webhookTo(receiver.url));
    await expect.poll(() => sender.deliveries()).toHaveLength(2);
    expect(receiver.received).toHaveLength(2);
  });

  it('says why there is no answer, and keeps the path of the receiver out of the log', async () => {
    const sender = makeSender([]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    sender.send(webhookTo(`http://127.0.0.1:${port}/hooks/token`));
    await expect.poll(() => sender.deliveries()).toMatchObject([{ error: 'ECONNREFUSED' }]);
    expect(JSON.stringify(sender.deliveries())).not.toContain('token');
  });

  it('does not wait forever for a receiver', async () => {
    const sender = makeSender([], 0.05);
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    sender.send(webhookTo(`http://127.0.0.1:${port}/`));
    await expect.poll(() => sender.deliveries()).toMatchObject([{ error: 'timeout' }]);
  });
});

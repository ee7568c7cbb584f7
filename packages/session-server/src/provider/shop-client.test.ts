import type { RequestListener } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { LocalServer } from '../testing/local-server.js';
import { testMerchant } from '../testing/test-merchant.js';
import { TestDns } from '../testing/test-dns.js';
import {
  AnswerTooLongError,
  isPublicAddress,
  PrivateAddressError,
  ShopClient,
} from './shop-client.js';

const MERCHANT = testMerchant();
const MESSAGE = { id: 'msg_1', body: '{"order":"A1001"}' };
const LIMITS = { timeoutSeconds: 5, maxAnswerBytes: 1000 };

const toClose: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(toClose.splice(0).map((thing) => thing.close()));
});

/** A shop on this machine, and how it is asked. */
async function shopThat(answers: RequestListener) {
  let requests = 0;
  const server = await LocalServer.start((request, response) => {
    requests += 1;
    answers(request, response);
  });
  const dns = new TestDns();
  dns.names.set('localhost', ['127.0.0.1']);
  const client = new ShopClient(dns.lookup);
  toClose.push(client, server);
  return {
    server,
    dns,
    requests: () => requests,
    ask: (path = '/', limits = LIMITS, base = server.url) =>
      client.ask(MERCHANT, { url: base + path, allowPrivateAddress: true }, MESSAGE, limits),
    deliver: (path = '/', merchant = MERCHANT, timeoutSeconds = 5) => {
      const endpoint = { url: server.url + path, allowPrivateAddress: true };
      return client.deliver(merchant, endpoint, MESSAGE, timeoutSeconds);
    },
    askPublicly: (url: string, limits = LIMITS) => client.ask(MERCHANT, { url }, MESSAGE, limits),
    deliverPublicly: (url: string) => client.deliver(MERCHANT, { url }, MESSAGE, 5),
  };
}

describe('a message to a shop', () => {
  it('arrives as it is, signed so that the shop can verify it', async () => {
    const verified = Promise.withResolvers<unknown>();
    const shop = await shopThat((request, response) => {
      void readText(request).then((body) => {
        const headers = request.headers as Record<string, string>;
        const secret = MERCHANT.signingSecret[0]?.reveal() ?? '';
        verified.resolve(new Webhook(secret).verify(body, headers));
        response.end(`${request.method ?? ''} ${String(headers['content-type'])} ${body}`);
      });
    });
    const answer = await shop.ask();
    expect(answer).toEqual({ status: 200, text: `POST application/json ${MESSAGE.body}` });
    expect(await verified.promise).toEqual({ order: 'A1001' });
  });

  it('is signed with each secret, so that a shop may change its own when it likes', async () => {
    const signingSecret = [7, 8].map(
      (byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`,
    );
    const verified = Promise.withResolvers<unknown[]>();
    const shop = await shopThat((request, response) => {
      const headers = request.headers as Record<string, string>;
      verified.resolve(
        signingSecret.map((secret) => new Webhook(secret).verify(MESSAGE.body, headers)),
      );
      response.end();
    });
    const merchant = testMerchant({ signingSecret });
    expect(await shop.deliver('/', merchant)).toBe(200);
    expect(await verified.promise).toEqual([{ order: 'A1001' }, { order: 'A1001' }]);
  });

  it('that delivers an event counts by its status, however long the answer is', async () => {
    const shop = await shopThat((_, response) =>
      response.writeHead(202).end('x'.repeat(1_000_000)),
    );
    expect(await shop.deliver()).toBe(202);
  });

  it.each(['/cut', '/endless'])(
    'is not delivered when the answer does not end: %s',
    async (path) => {
      const shop = await shopThat((request, response) => {
        response.writeHead(200, { 'content-length': '10' }).write('{');
        if (request.url === '/cut') setImmediate(() => response.destroy());
      });
      await expect(shop.deliver(path, MERCHANT, 0.5)).rejects.toThrow();
    },
  );

  it('gives back what the shop answered, whatever its status', async () => {
    const shop = await shopThat((_, response) => response.writeHead(500).end('oops'));
    expect(await shop.ask()).toEqual({ status: 500, text: 'oops' });
  });

  it('follows no redirect', async () => {
    const shop = await shopThat((_, response) =>
      response.writeHead(307, { location: '/elsewhere' }).end(),
    );
    expect((await shop.ask()).status).toBe(307);
    expect(shop.requests()).toBe(1);
  });

  it.each(['http://127.0.0.1', 'http://localhost', 'http://[::ffff:127.0.0.1]', 'http://0x7f.1'])(
    'never reaches this machine as %s unless the merchant entry allows it',
    async (host) => {
      const shop = await shopThat((_, response) => response.end());
      const url = `${host}:${String(shop.server.port)}/`;
      await expect(shop.askPublicly(url)).rejects.toThrow(PrivateAddressError);
      await expect(shop.deliverPublicly(url)).rejects.toThrow(PrivateAddressError);
      expect(shop.requests()).toBe(0);
    },
  );

  it.each([
    [['127.0.0.1']],
    [['10.0.0.1']],
    [['::1']],
    [['::ffff:10.0.0.1']],
    [['3000::1', '127.0.0.1']],
    [['51.0.0.1', 'fd00::1']],
  ])('never reaches a name when one of its addresses is private: %j', async (addresses) => {
    const shop = await shopThat((_, response) => response.end());
    shop.dns.names.set('inside.example', addresses);
    const url = `http://inside.example:${String(shop.server.port)}/`;
    await expect(shop.askPublicly(url)).rejects.toThrow(PrivateAddressError);
    await expect(shop.deliverPublicly(url)).rejects.toThrow(PrivateAddressError);
    expect(shop.requests()).toBe(0);
  });

  it('ends by its own limit while the name is not resolved', async () => {
    const shop = await shopThat((_, response) => response.end());
    shop.dns.silent.add('dead.example');
    const asked = shop.askPublicly('http://dead.example/', { ...LIMITS, timeoutSeconds: 0.1 });
    await expect(asked).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('fails when the name has no address', async () => {
    const shop = await shopThat((_, response) => response.end());
    await expect(shop.askPublicly('http://no-such-shop.example/')).rejects.toThrow('no address');
  });

  it('is given up when the answer is longer than asked for', async () => {
    const shop = await shopThat((request, response) =>
      response.end('x'.repeat(request.url === '/long' ? 1001 : 1000)),
    );
    expect((await shop.ask('/short')).text).toHaveLength(1000);
    await expect(shop.ask('/long')).rejects.toThrow(AnswerTooLongError);
  });

  it.each(['/no-headers', '/no-body'])(
    'is given up when the shop takes too long: %s',
    async (path) => {
      const shop = await shopThat((request, response) => {
        if (request.url === '/no-body') response.writeHead(200).write('{');
      });
      const startedAt = performance.now();
      const asked = shop.ask(path, { ...LIMITS, timeoutSeconds: 0.1 });
      await expect(asked).rejects.toMatchObject({ name: 'TimeoutError' });
      expect(performance.now() - startedAt).toBeLessThan(LIMITS.timeoutSeconds * 1000);
    },
  );

  it('that is in progress ends when the client closes', async () => {
    const client = new ShopClient();
    const arrived = Promise.withResolvers<undefined>();
    const server = await LocalServer.start(() => {
      arrived.resolve(undefined);
    });
    toClose.push(server);
    const endpoint = { url: server.url, allowPrivateAddress: true };
    const asked = client.ask(MERCHANT, endpoint, MESSAGE, LIMITS);
    asked.catch(() => undefined);
    await arrived.promise;
    await client.close();
    await expect(asked).rejects.toThrow();
  });
});

describe('an address', () => {
  it.each(['51.0.0.1', '200.1.2.3', '2a00::1', '::ffff:51.0.0.1'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '127.0.0.1',
    '127.8.9.10',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    '2001:db8::1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'fec0::1',
    '4000::1',
    '5f00::1',
    '3fff::1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    'ff02::1',
    'not an address',
    '',
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

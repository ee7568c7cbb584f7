import { describe, expect, it } from 'vitest';
import { startSandbox } from '../testing/test-sandbox.js';

const PATH = '/api/v1/merchants/merchant-association';
const BODY = { action: 'reactivate', merchantId: '1001' };

describe('POST {merchants_base_url}/api/v1/merchants/merchant-association', () => {
  it('makes an ended link valid for 14 days from now, and adds 14 more the next time', async () => {
    const test = await startSandbox();
    const { control } = test.sandbox;
    control.clock.set(new Date('2031-03-01T12:00:00.000Z'));
    const validUntil = () =>
      control.signupLinks().find(({ merchantId }) => merchantId === 1001)?.validUntil;
    const { status, body } = await test.post(`/merchants-sandbox${PATH}`, BODY);
    expect(status).toBe(200);
    expect(body).toEqual({ message: 'The signup link is reactivated and extended by 14 days.' });
    expect(validUntil()).toMatch(/^2031-03-15T12:00/);
    await test.post(`/merchants-sandbox${PATH}`, BODY);
    expect(validUntil()).toMatch(/^2031-03-29T12:00/);
  });

  it.each([PATH, `//merchants-sandbox${PATH}`, `/merchants-sandbox/merchants-sandbox${PATH}`])(
    'answers a web page at %s, as a client deserves that joins addresses badly',
    async (path) => {
      const test = await startSandbox();
      const answer = await test.sendRaw('POST', path, { 'content-type': 'application/json' }, '{}');
      expect(answer.status).toBe(404);
      expect(answer.headers['content-type']).toContain('text/html');
      expect(answer.text).toContain('<h1>404</h1>');
    },
  );

  it('can have another prefix', async () => {
    const test = await startSandbox({ merchantsPrefix: '/a/b' });
    expect((await test.post(`/a/b${PATH}`, BODY)).status).toBe(200);
    expect((await test.post(`/merchants-sandbox${PATH}`, BODY)).status).toBe(404);
    await expect(startSandbox({ merchantsPrefix: 'a/' })).rejects.toThrow('merchantsPrefix');
  });

  it.each([
    ['action', 'deactivate'],
    ['action', undefined],
    ['merchantId', 1001],
    ['merchantId', undefined],
    ['email', 'robin@merchant.example'],
  ])('refuses %s = %j by name', async (field, value) => {
    const test = await startSandbox();
    const answer = await test.post(`/merchants-sandbox${PATH}`, { ...BODY, [field]: value });
    expect(answer.status).toBe(400);
    expect(answer.body['errors']).toMatchObject([{ field }]);
  });

  it('answers 404 for an unknown merchant', async () => {
    const test = await startSandbox();
    const path = `/merchants-sandbox${PATH}`;
    expect((await test.post(path, { ...BODY, merchantId: '9' })).status).toBe(404);
    expect((await test.post(path, { ...BODY, merchantId: '01001' })).status).toBe(404);
  });
});

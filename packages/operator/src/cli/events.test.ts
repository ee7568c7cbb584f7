import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../../../session-server/src/config.js';
import { TestStack } from '../../../session-server/src/testing/test-stack.js';
import { runEvents } from './events-command.js';
import { runExplain } from './explain-command.js';
import { runWebhooks } from './webhooks-command.js';

let stack: TestStack;
beforeEach(async () => {
  stack = await TestStack.start();
});
afterEach(() => stack.close());

/** What happened to an order, as `explain` prints it. */
const story = (order: string): Promise<string[]> => runExplain(stack.config, order);
const BY_COMMAND = /^\S+ {2}command-line( \(.+\))? redelivered msg_\S+$/;

const run = (...words: string[]): Promise<string[]> => runEvents(stack.config, words);

describe('dead-lettered events', () => {
  it('are listed and delivered again, with the same id, while the server runs', async () => {
    expect(await run('dead-lettered')).toEqual(['no events are dead-lettered']);
    const id = await stack.refuseEvent('D1');
    const [line] = await run('dead-lettered', 'teashop');
    expect(line).toContain(id);
    expect(line).toContain('teashop  D1  checkout.cancelled  sequence 1');
    expect(await run('dead-lettered', 'unknown')).toEqual(['no events are dead-lettered']);
    expect(await run('redeliver', '--merchant', 'unknown')).toEqual([
      '0 events will be redelivered',
    ]);
    expect(await run('redeliver', id)).toEqual(['1 event will be redelivered']);
    const event = await stack.shop.event('checkout.cancelled');
    expect([event.id, event.data['order']]).toEqual([id, 'D1']);
    expect(await run('dead-lettered')).toEqual(['no events are dead-lettered']);
    expect(await run('redeliver', '--all')).toEqual(['0 events will be redelivered']);
    expect(await story('D1')).toContainEqual(expect.stringMatching(BY_COMMAND));
  });

  it('that were acknowledged are delivered once more when they are named', async () => {
    const { body } = await stack.open('D3', { amount: '9.99' });
    await stack.fetch(stack.returnPath(body.sessionId ?? '', 'CancelUrl'));
    const { id } = await stack.shop.event('checkout.cancelled');
    await expect
      .poll(async () => (await story('D3')).join('\n'))
      .toContain('try 1: answer 204, acknowledged');
    expect(await run('redeliver', '--merchant', 'teashop', '--retrying')).toEqual([
      '0 events will be redelivered',
    ]);
    const [text = ''] = await runEvents(stack.config, ['redeliver', id], true);
    expect(JSON.parse(text)).toEqual({ redelivered: 1 });
    const received = () => stack.shop.events.filter((event) => event.id === id).length;
    await expect.poll(received).toBe(2);
  });

  it('are not touched where one of the ids is of no event', async () => {
    const id = await stack.refuseEvent('D4');
    const wrong = run('redeliver', id, 'msg_unknown');
    await expect(wrong).rejects.toThrow('There is no event "msg_unknown"');
    await expect(wrong).rejects.toMatchObject({ status: 404 });
    const [text = ''] = await runEvents(stack.config, ['dead-lettered'], true);
    expect(JSON.parse(text)).toMatchObject({ items: [{ id, order: 'D4' }], more: false });
  });

  it.each([
    [[]],
    [['redeliver']],
    [['redeliver', 'all']],
    [['redeliver', '--all', 'x']],
    [['redeliver', '--all', '--retrying']],
    [['redeliver', '--retrying']],
    [['redeliver', '--merchant', 'teashop', '--retry']],
    [['redeliver', '--merchant', 'teashop', '--retrying', 'x']],
    [['revive']],
  ])('are not touched by words that are not understood: %j', async (words) => {
    await expect(run(...words)).rejects.toThrow(/expected: events dead-lettered/);
  });
});

describe('events that wait for their next try', () => {
  it('are delivered at once on request, with the same id, while the server runs', async () => {
    const id = await stack.refuseEvent('D2', 22 * 3600);
    expect(await run('redeliver', '--merchant', 'teashop')).toEqual([
      '0 events will be redelivered',
    ]);
    const redeliverNow = (merchant: string) =>
      run('redeliver', '--merchant', merchant, '--retrying');
    expect(await redeliverNow('unknown')).toEqual(['0 events will be redelivered']);
    expect(await redeliverNow('teashop')).toEqual(['1 event will be redelivered']);
    expect((await stack.shop.event('checkout.cancelled')).id).toBe(id);
    expect(await redeliverNow('teashop')).toEqual(['0 events will be redelivered']);
  });
});

describe('the counts of webhooks', () => {
  it('are printed while the server runs', async () => {
    const { body } = await stack.open('W1', { amount: '9.99' });
    const path = stack.webhookPath(body.sessionId ?? '');
    await stack.post(path, { event: 'test' });
    await stack.post(path, { any: 1 });
    await expect
      .poll(async () => (await runWebhooks(stack.config)).join('\n'))
      .toMatch(/processed +1\n(.*\n)*tests +1$/);
  });
});

describe('a data file', () => {
  it('that does not exist is not created by reading it', async () => {
    const config = parseConfig(
      { ...stack.env, PAY_DATABASE_FILE: join(stack.folder, 'none') },
      stack.tuning,
    );
    await expect(runEvents(config, ['dead-lettered'])).rejects.toThrow(
      'there is no such data file',
    );
  });
});

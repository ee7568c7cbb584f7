import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CRASH_POINTS, parseCrashPlan } from './crash-points.js';

describe('crash points', () => {
  const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(test|contract)\.ts$|^testing\b/.test(file))
    .filter((file) => file !== 'crash-points.ts')
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
    .join('\n');

  it.each(CRASH_POINTS)('%s stands in exactly one place', (point) => {
    expect(sources.split(`'${point}'`)).toHaveLength(2);
  });

  it('include each one that the code passes', () => {
    const passed = [...sources.matchAll(/\bonStep\?\.\('([^']+)'\)/g)];
    expect(CRASH_POINTS).toEqual(expect.arrayContaining(passed.map(([, name]) => name)));
  });

  it('are all listed in tools/drill/README.md, and no others', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../tools/drill/README.md'), 'utf8');
    const listed = [...text.matchAll(/^- `([a-z]+:[a-z-]+)`/gm)].map(([, name]) => name);
    expect(listed).toEqual([...CRASH_POINTS]);
  });
});

describe('PAY_CRASH_AT', () => {
  it('names a point, and how many passes from the start', () => {
    expect(parseCrashPlan({ PAY_CRASH_AT: 'webhook:record' })).toEqual({
      point: 'webhook:record',
      pass: 1,
    });
    expect(parseCrashPlan({ PAY_CRASH_AT: 'store:committed:7' })).toEqual({
      point: 'store:committed',
      pass: 7,
    });
    expect(parseCrashPlan({})).toBeUndefined();
    expect(parseCrashPlan({ PAY_CRASH_AT: '' })).toBeUndefined();
  });

  it('is ignored in production', () => {
    const env = { PAY_CRASH_AT: 'webhook:record', PAY_ENVIRONMENT: 'production' };
    expect(parseCrashPlan(env)).toBeUndefined();
  });

  it.each(['webhook', 'webhook:nowhere', 'webhook:record:0', 'webhook:record:x'])(
    'refuses %s by name',
    (text) => {
      expect(() => parseCrashPlan({ PAY_CRASH_AT: text })).toThrow(/PAY_CRASH_AT/);
    },
  );
});

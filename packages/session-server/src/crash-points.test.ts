import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CRASH_POINTS, parseCrashPlan } from './crash-points.js';

describe('crash points', () => {
  it('every name stands in exactly one place', () => {
    const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !/\.(test|contract)\.ts$/.test(file),
    );
    const used = sources.flatMap((file) =>
      [
        ...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(
          /\bcrashPoint\('([^']+)'\)/g,
        ),
      ].map(([, name]) => name),
    );
    expect(used.toSorted()).toEqual([...CRASH_POINTS].toSorted());
  });

  it('are all listed in docs/drill.md, and no others', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../docs/drill.md'), 'utf8');
    const told = [...text.matchAll(/^\| `([a-z]+:[a-z-]+)`/gm)].map(([, name]) => name);
    expect(told).toEqual([...CRASH_POINTS]);
  });
});

describe('PAY_CRASH_AT', () => {
  it('names a point, and how many passes from the start', () => {
    expect(parseCrashPlan({ PAY_CRASH_AT: 'webhook:stored' })).toEqual({
      point: 'webhook:stored',
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
    const env = { PAY_CRASH_AT: 'webhook:stored', PAY_ENVIRONMENT: 'production' };
    expect(parseCrashPlan(env)).toBeUndefined();
  });

  it.each(['webhook', 'webhook:nowhere', 'webhook:stored:0', 'webhook:stored:x'])(
    'refuses %s by name',
    (text) => {
      expect(() => parseCrashPlan({ PAY_CRASH_AT: text })).toThrow(/PAY_CRASH_AT/);
    },
  );
});

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { TestStack } from '../testing/test-stack.js';

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test was skipped. */
    notRun?: string;
  }
}

const PROMTOOL = 'promtool';
const ROOT = join(import.meta.dirname, '../../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const RULES = read('ops/prometheus-rules.yaml');

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly definition?: string }[] };
}

let metrics: string;
let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start({ env: { PAY_OPERATOR_PORT: '0' } });
  await stack.open('A1001', { amount: '9.99' });
  metrics = (await stack.askOperator('/metrics')).text;
});
afterAll(() => stack.close());

/** The names that a query may use: those of a histogram have three. */
function measuredNames(): string[] {
  return [...metrics.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['bucket', 'count', 'sum'].map((part) => `${name}_${part}`) : name,
  );
}

/** The metrics that a query names. */
function namesIn(query: string): string[] {
  return (query.match(/\b(pay|process|nodejs)_\w+/g) ?? []).filter(
    (name) => !query.includes(`"${name}`),
  );
}

/** Runs promtool; skips the test by name where it is not installed. */
function runPromtool(
  { task, skip }: Pick<TestContext, 'task' | 'skip'>,
  args: readonly string[],
  input = '',
): string {
  const { error, status, stdout, stderr } = spawnSync(PROMTOOL, args, {
    cwd: ROOT,
    input,
    encoding: 'utf8',
  });
  if (error && 'code' in error && error.code === 'ENOENT') {
    task.meta.notRun = 'promtool is not installed';
    skip(task.meta.notRun);
  }
  expect(error).toBeUndefined();
  expect(status, stdout + stderr).toBe(0);
  return stdout + stderr;
}

describe('the dashboard', () => {
  const { panels, templating } = JSON.parse(read('ops/grafana-dashboard.json')) as Dashboard;
  const shown = panels.filter(({ targets }) => targets);

  it.each(shown)('shows only what is measured: $title', ({ targets = [] }) => {
    for (const { expr } of targets) {
      expect(namesIn(expr).length, expr).toBeGreaterThan(0);
      expect(measuredNames()).toEqual(expect.arrayContaining(namesIn(expr)));
    }
  });

  it('shows every metric of ours', () => {
    const queries = shown.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const isShown = (name: string) => queries.some((query) => query.includes(name));
    const ours = [...metrics.matchAll(/^# TYPE (pay_\w+)/gm)].map(([, name = '']) => name);
    expect(ours.length).toBeGreaterThan(20);
    expect(ours.filter((name) => !isShown(name))).toEqual([]);
  });

  it('shows only what is of the environment that was chosen', () => {
    const queries = shown.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    for (const query of queries) {
      const filters = query.split('environment=~"$environment"').length - 1;
      expect(filters, query).toBe(namesIn(query).length);
    }
  });

  it('finds its environments and instances by a metric that is measured', () => {
    const definitions = templating.list.flatMap(({ definition }) => definition ?? []);
    expect(definitions.flatMap(namesIn)).toEqual(['pay_build_info', 'pay_build_info']);
    expect(measuredNames()).toContain('pay_build_info');
  });
});

describe('the alerts', () => {
  it('ask for nothing that is not measured', () => {
    const names = namesIn(RULES.replace(/^ *#.*$/gm, ''));
    expect(new Set(names).size).toBeGreaterThan(15);
    expect(names.filter((name) => !measuredNames().includes(name))).toEqual([]);
  });

  it('fire once for an environment, unless they are of one process', () => {
    const ofReplicas = RULES.split('- alert: ')
      .slice(1)
      .filter((rule) => !/by \(job, environment/.test(rule))
      .map((rule) => rule.slice(0, rule.indexOf('\n')));
    expect(ofReplicas).toEqual(['PayDown', 'PayEventLoopLag', 'PayMemory']);
  });

  it('name their recipe, and each recipe has its alert', () => {
    const alerts = [...RULES.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    const runbooks = [...RULES.matchAll(/runbook_url: (\S+)#(\S+)/g)];
    expect(alerts.length).toBeGreaterThan(20);
    expect(runbooks.map(([, page, anchor]) => `${page ?? ''}#${anchor ?? ''}`)).toEqual(
      alerts.map((name) => `docs/operations/alerts.md#${name.toLowerCase()}`),
    );
    const recipes = [...read('docs/operations/alerts.md').matchAll(/^## (\w+)$/gm)];
    expect(recipes.map(([, name]) => name)).toEqual(alerts);
  });

  it('are rules that Prometheus takes', (context) => {
    const output = runPromtool(context, ['check', 'rules', 'ops/prometheus-rules.yaml']);
    expect(output).toMatch(/SUCCESS: \d+ rules found/);
  });

  it('fire when they should, and not before', (context) => {
    runPromtool(context, ['test', 'rules', 'ops/prometheus-rules.test.yaml']);
  });

  it('are each tested to be silent in the minute before they fire', () => {
    const silentThenFiring =
      /- { eval_time: (\d+)m, alertname: (\w+) }\n +- eval_time: (\d+)m\n +alertname: \2\n +exp_alerts:/g;
    const tested = [...read('ops/prometheus-rules.test.yaml').matchAll(silentThenFiring)]
      .filter(([, silentAt, , firesAt]) => Number(firesAt) === Number(silentAt) + 1)
      .map(([, , name]) => name);
    const alerts = [...RULES.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    expect(tested.toSorted()).toEqual(alerts.toSorted());
  });
});

describe('the names of metrics', () => {
  it('are as Prometheus wants them', (context) => {
    // Those of the process are named by a library. A metric without a sample is not looked at.
    const ours = metrics
      .split('\n')
      .filter((line) => /^(# \w+ )?pay_/.test(line))
      .flatMap((line, at, all) => {
        const name = /^# TYPE (\w+) (counter|gauge)$/.exec(line)?.[1];
        return name === undefined || all[at + 1]?.startsWith(name) ? line : [line, `${name} 0`];
      });
    expect(ours.length).toBeGreaterThan(100);
    runPromtool(context, ['check', 'metrics'], `${ours.join('\n')}\n`);
  });
});

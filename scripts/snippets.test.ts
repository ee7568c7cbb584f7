/** Every fenced code block of the documents, and the test that it has. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'oxfmt';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { CombinedFile } from '../packages/session-server/dist/merchants/file-parts.js';
import {
  merchantFields,
  merchantsFileSchema,
} from '../packages/session-server/dist/merchants/merchant.js';
import { listCommittedFiles, ROOT } from './committed-files.mjs';

interface Snippet {
  /** Page, language, and which of that language on the page it is: `docs/events.md js 2`. */
  readonly name: string;
  readonly page: string;
  readonly language: string;
  readonly code: string;
}

/** What this needs of a schema. */
interface Schema {
  safeParse(value: unknown): {
    readonly error?:
      | {
          readonly issues: readonly {
            readonly path: readonly PropertyKey[];
            readonly message: string;
          }[];
        }
      | undefined;
  };
}

const SHOP = `declare const pay: import('@pay-checkout/merchant').PayCheckout;
  declare const priceOf: (order: string) => { amount: string; currency: string } | undefined;
  declare const markPaid: (order: { order: string }) => void;
  declare const paid: Set<string>;`;

/** Snippets that another test runs: in that file. */
const RUN_BY: Readonly<Record<string, string>> = {
  'docs/operations/deploy.md sh 1': 'packages/create/src/create.test.ts',
  'docs/quick-start.md sh 1': 'packages/create/src/create.test.ts',
  'docs/scale.md sql 1': 'packages/session-server/src/store/scale-doc.postgres.test.ts',
  'packages/create/README.md sh 1': 'packages/create/src/create.test.ts',
  'README.md js 1': 'demo/journey/quick-start.test.ts',
  'docs/quick-start.md js 1': 'packages/merchant/src/quick-start.test.ts',
  'docs/order-lookup.md js 1': 'packages/merchant/src/quick-start.test.ts',
  'tools/drill/README.md text 1': 'packages/session-server/src/crash-points.test.ts',
  'docs/events.md js 1': 'packages/session-server/src/outbox/receivers.test.ts',
  'docs/events.md js 2': 'packages/session-server/src/outbox/receivers.test.ts',
  'docs/events.md json 1': 'packages/session-server/src/checkouts/events-doc.test.ts',
  'docs/merchants-file.md json 1':
    'packages/session-server/src/merchants/merchants-file-doc.test.ts',
  'docs/security.md http 1': 'packages/session-server/src/security/security-doc.test.ts',
  'docs/security.md http 2': 'packages/session-server/src/security/security-doc.test.ts',
  'docs/security.md js 1': 'packages/session-server/src/security/security-doc.test.ts',
  'docs/security.md js 2': 'packages/session-server/src/security/security-doc.test.ts',
  'packages/partner-api/README.md ts 1': 'packages/partner-api/src/readme.test.ts',
  'packages/partner-api/README.md ts 2': 'packages/partner-api/src/readme.test.ts',
  'packages/partner-api/README.md ts 3': 'packages/partner-api/src/readme.test.ts',
  'packages/react/README.md jsx 1': 'packages/react/src/react.test.ts',
};

/** Snippets of the examples, each of which `npm run check:examples` builds and pays in. */
const OF_EXAMPLES: Readonly<Record<string, string>> = {
  'docs/recipes.md jsx 1': 'examples/react-router/app/routes/pay.jsx',
  'docs/recipes.md jsx 2': 'examples/next/app/pay/[order]/page.jsx',
  'docs/recipes.md js 1': 'examples/react-router/app/routes/events.js',
  'docs/recipes.md js 2': 'examples/next/app/events/route.js',
  'docs/recipes.md js 3': 'examples/vue/vite.config.js',
  'docs/recipes.md ts 2': 'examples/angular/src/payment.ts',
  'docs/recipes.md vue 1': 'examples/vue/src/Payment.vue',
  'docs/recipes.md svelte 1': 'examples/svelte/src/Payment.svelte',
  'docs/recipes.md php 1': 'examples/php/PayCheckout.php',
  'docs/recipes.md php 2': 'examples/php/PayCheckout.php',
  'docs/recipes.md python 1': 'examples/python/pay_checkout.py',
  'docs/recipes.md python 2': 'examples/python/pay_checkout.py',
  'docs/testing.md js 2': 'examples/playwright/pay.test.js',
};

/** What the text around a snippet has declared, and the package that it is compiled in. */
const CONTEXT: Readonly<Record<string, { before?: string; within?: string }>> = {
  'docs/take-a-payment.md js 1': {
    before: `declare const tag: import('@pay-checkout/widget').PayCheckout;`,
  },
  'docs/recipes.md tsx 1': { within: 'packages/react' },
  'docs/recipes.md js 4': { before: SHOP },
  'packages/merchant/README.md js 2': {
    before: `declare const pay: import('@pay-checkout/merchant').PayCheckout;
      declare const app: import('express').Express;
      declare const findPrice: (order: string) => { amount: string; currency: string };
      declare const markPaid: (order: string, event: string) => void;`,
  },
  'packages/merchant/README.md js 3': {
    before: `declare const price: { amount: string; currency: string };
      declare const payUrl: string;`,
  },
  'packages/sandbox/README.md js 2': {
    before: `declare const PaySandbox: {
      configure(settings: {
        session_id: string; container: string;
        onReady(): void; onSubmit(): void; onDecline(decline: { message: string }): void;
        onExpire(error: { code: string; message: string }): void;
        onError(error: { code: string; message: string }): void;
      }): Promise<{ destroy(): void }>;
    };`,
  },
  'docs/testing.md js 1': {
    before: `declare const tag: import('@pay-checkout/widget').PayCheckout;`,
  },
  'packages/widget/README.md js 2': {
    before: `declare const tag: import('@pay-checkout/widget').PayCheckout;`,
  },
};

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

function readSnippets(): Snippet[] {
  return listCommittedFiles()
    .filter((file) => file.endsWith('.md') && !/^(CHANGELOG|\.changeset)/.test(file))
    .flatMap((page) => {
      const counts = new Map<string, number>();
      const blocks = read(page).matchAll(/^([ ]*)```([a-z]*)\n([^]*?)^[ ]*```$/gm);
      return [...blocks].map(([, indent = '', language = '', text = '']) => {
        const count = (counts.get(language) ?? 0) + 1;
        counts.set(language, count);
        const code = text.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
        return { name: `${page} ${language} ${String(count)}`, page, language, code };
      });
    });
}

const snippets = readSnippets();
const isElsewhere = ({ name }: Snippet): boolean => name in RUN_BY || name in OF_EXAMPLES;
const own = (...languages: readonly string[]): Snippet[] =>
  snippets.filter((each) => languages.includes(each.language) && !isElsewhere(each));

/** What the compiler says of each snippet, as if it were a file of its package; JavaScript declares no types. */
function compile(programs: readonly Snippet[], strict: boolean): string[] {
  const texts = new Map(
    programs.map(({ name, code }) => {
      const { before = '', within = 'demo' } = CONTEXT[name] ?? {};
      const file = `${name.replaceAll(/\W/g, '-')}.tsx`;
      return [join(ROOT, within, file), `${before}\n${code}\nexport {};`];
    }),
  );
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    jsx: ts.JsxEmit.ReactJSX,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => texts.has(name) || fileExists.call(host, name);
  host.readFile = (name) => texts.get(name) ?? readFile.call(host, name);
  host.getSourceFile = (name, ...rest) => {
    const text = texts.get(name);
    return text === undefined
      ? getSourceFile.call(host, name, ...rest)
      : ts.createSourceFile(name, text, rest[0]);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) =>
        `${file?.fileName.replace(ROOT, '') ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
}

/** Words of a code block, without what its comments and layout add. */
const wordsOf = (code: string): string =>
  code
    .replaceAll(/^\s*(\*|\/\/|#) ?/gm, '')
    .replaceAll('\\\\', '\\')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The commands of a block, each as its words, without settings before it and comments after it. */
function commandsOf(code: string): string[][] {
  return code
    .replaceAll(/\\\n/g, ' ')
    .split(/\n|&&/)
    .map((line) => line.replace(/(^|\s)#.*/, '').trim())
    .filter((line) => line !== '')
    .map((line) => (line.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? []).map((word) => word.trim()))
    .map((words) => words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word))));
}

interface Program {
  readonly name: string;
  readonly bin?: Readonly<Record<string, string>>;
}

/** What our programs say of themselves, by each name that they are started with. */
const helps = new Map(
  ['session-server', 'partner-api', 'merchant', 'sandbox'].flatMap((folder) => {
    const { name, bin = {} } = JSON.parse(read(`packages/${folder}/package.json`)) as Program;
    return Object.entries(bin).flatMap(([command, file]) => {
      const known = new Map<string, string>();
      const help = (...path: readonly string[]): string => {
        const before = known.get(path.join(' '));
        if (before !== undefined) return before;
        const program = join(ROOT, 'packages', folder, file);
        const { stdout, stderr } = spawnSync(process.execPath, [program, ...path, '--help'], {
          encoding: 'utf8',
        });
        known.set(path.join(' '), stdout + stderr);
        return stdout + stderr;
      };
      return [[name, help] as const, [command, help] as const];
    });
  }),
);

/** What is wrong with the words after a command, as far as that can be known without running it. */
const COMMANDS: Readonly<Record<string, (args: readonly string[]) => string[]>> = {
  npx: ([program, ...args]) => checkProgram(program ?? '', args),
  npm([first = '', second = '']) {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: object };
    const script = first === 'run' ? second : first;
    return script === 'install' || script in scripts ? [] : [`no script ${script}`];
  },
  export(settings) {
    const known = read('docs/settings.md') + read('docs/pay-partner.md');
    return settings
      .map((setting) => setting.split('=')[0] ?? '')
      .filter((name) => !known.includes(`\`${name}\``))
      .map((name) => `no setting ${name}`);
  },
  curl(args) {
    const [, path = ''] = /https?:\/\/[^/\s"]+(\/[^?\s"']*)/.exec(args.join(' ')) ?? [];
    const route = path.replace(/^\/operator|\/[A-Z]\d+$/g, '');
    return new RegExp(`'${route}['/]`).test(serverSources()) ? [] : [`no route ${path}`];
  },
  // Run by a test of their own.
  node: () => [],
  // `documents.test.ts` knows the scripts of packages.
  pnpm: () => [],
  // Of the shell, and of databases, which not every machine has.
  createdb: () => [],
  date: () => [],
  pg_dump: () => [],
  pg_restore: () => [],
  umask: () => [],
  sqlite3: () => [],
};

/** The code of the session server, of its operator's package and of the sandbox. */
const serverSources = (): string =>
  ['packages/session-server/src', 'packages/operator/src', 'packages/sandbox/src']
    .flatMap((folder) => listCommittedFiles(folder))
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .map(read)
    .join('\n');

function checkProgram(program: string, args: readonly string[]): string[] {
  const help = helps.get(program);
  if (help === undefined) return [`no program ${program}`];
  const end = args.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  const words = end < 0 ? args : args.slice(0, end);
  // After `events redeliver` the help has `<event id>`: from there on, words are values.
  const values = words.findIndex((_word, at) => {
    const before = words.slice(0, at);
    const takesValue = new RegExp(
      `${before.join(' ')}( \\[options\\])? (<|\\[(?!command|options))`,
    );
    return at > 0 && takesValue.test(help(...before));
  });
  const commands = values < 0 ? words : words.slice(0, values);
  const said = [help(), help(...commands)].join('\n');
  return [...commands, ...args.filter((word) => word.startsWith('--'))]
    .filter((word) => !new RegExp(`(^|[\\s|[,])${word}([\\s,|\\]]|$)`, 'm').test(said))
    .map((word) => `${program} knows no ${word}`);
}

function checkCommand([command = '', ...args]: readonly string[]): string[] {
  return COMMANDS[command]?.(args) ?? checkProgram(command, args);
}

describe('the code blocks of the documents', () => {
  it('have a language, and a test that is named for them is there', () => {
    expect(snippets.length).toBeGreaterThan(50);
    expect(snippets.filter(({ language }) => language === '').map(({ name }) => name)).toEqual([]);
    const known = new Set(snippets.map(({ name }) => name));
    const tables = [RUN_BY, OF_EXAMPLES, CONTEXT];
    expect(
      tables.flatMap((table) => Object.keys(table)).filter((name) => !known.has(name)),
    ).toEqual([]);
    const untrue = Object.entries(RUN_BY).filter(([name, test]) => {
      const [page = ''] = name.split(' ');
      return !read(test).includes(page.replace(/.*\//, ''));
    });
    expect(untrue).toEqual([]);
  });

  it('are in a language that is tested here', () => {
    const tested = ['css', 'html', 'js', 'json', 'jsx', 'mermaid', 'sh', 'ts', 'tsx'];
    const others = snippets.filter((each) => !isElsewhere(each) && !tested.includes(each.language));
    expect(others.map(({ name }) => name)).toEqual([]);
  });

  it('compile, in TypeScript', () => {
    const programs = own('ts', 'tsx');
    expect(programs.length).toBeGreaterThan(1);
    expect(compile(programs, true)).toEqual([]);
  });

  it('compile, in JavaScript', () => {
    const programs = own('js', 'jsx');
    expect(programs.length).toBeGreaterThan(5);
    expect(compile(programs, false)).toEqual([]);
  });

  it.each(Object.entries(OF_EXAMPLES))('%s is in %s', (name, example) => {
    const { code = '' } = snippets.find((each) => each.name === name) ?? {};
    const words = wordsOf(code);
    expect(words.length).toBeGreaterThan(50);
    expect(wordsOf(read(example))).toContain(words);
  });

  it.each(own('html', 'css'))('$name is well formed, and knows the element', async (snippet) => {
    const { language, code } = snippet;
    expect((await format(`snippet.${language}`, code)).errors).toEqual([]);
    const { modules } = JSON.parse(read('packages/widget/dist/custom-elements.json')) as {
      modules: { declarations: Record<string, { name: string }[]>[] }[];
    };
    const element = modules[0]?.declarations[0] ?? {};
    const known = (kind: string): string[] => (element[kind] ?? []).map(({ name }) => name);
    const used = (what: RegExp): string[] => [...code.matchAll(what)].map(([, name = '']) => name);
    const tags = used(/<pay-checkout\s([^>]*)>/g).join(' ');
    const attributes = [...tags.matchAll(/([a-z-]+)(?:="[^"]*")?(?=\s|$)/g)].map(([, n = '']) => n);
    const ofAll = ['id', 'class', 'slot', 'lang', 'dir', 'nonce', 'style'];
    const missing = [
      ...attributes.filter((name) => !known('attributes').concat(ofAll).includes(name)),
      ...used(/(--pay-checkout-[\w-]+)/g).filter((name) => !known('cssProperties').includes(name)),
      ...used(/::part\(([\w-]+)\)/g).filter((name) => !known('cssParts').includes(name)),
      ...used(/:state\(([\w-]+)\)/g).filter((name) => !known('cssStates').includes(name)),
      ...used(/'(pay-[a-z]+)'/g).filter(
        (name) => name !== 'pay-checkout' && !known('events').includes(name),
      ),
    ];
    expect(missing).toEqual([]);
  });

  it.each(own('json'))('$name is what the merchants file takes', ({ code }) => {
    const text = code.trim().startsWith('{') ? code : `{${code}}`;
    const known: Readonly<Record<string, Schema | undefined>> = {
      ...merchantFields.shape,
      ...merchantsFileSchema.shape,
    };
    const written = JSON.parse(text) as object;
    const file = 'defaults' in written ? new CombinedFile([{ text }], '').file : written;
    const mistakes = Object.entries(file as object).flatMap(([name, value]) => {
      const schema = known[name];
      if (schema === undefined) return [`no field ${name}`];
      const issues = schema.safeParse(value).error?.issues ?? [];
      // A secret or a hash that is left out, or is in a file or a variable.
      const isLeftOut = (path: readonly PropertyKey[]): boolean =>
        /…|^\{"(file|env)":/.test(
          JSON.stringify(path.reduce((at: unknown, key) => (at as never)[key], value)),
        );
      return issues
        .filter(({ path }) => !isLeftOut(path))
        .map(({ path, message }) => `${[name, ...path].join('.')}: ${message}`);
    });
    expect(mistakes).toEqual([]);
  });

  it.each(own('mermaid'))('$name is a diagram', async ({ code }) => {
    const { default: mermaid } = await import('mermaid');
    const error: unknown = await mermaid.parse(code).catch((reason: unknown) => reason);
    // Once it has parsed a diagram, it cleans the labels, for which it needs a page.
    if (error instanceof Error) expect(error.message).toContain('addHook is not a function');
  });

  it.each(own('sh'))(
    '$name has commands, options, settings and routes that are there',
    ({ code }) => {
      const commands = /^node -/.test(code) ? [] : commandsOf(code);
      expect(commands.flatMap(checkCommand)).toEqual([]);
    },
  );

  const oneLiners = own('sh').filter(({ code }) => /^node -/.test(code));
  it.each(oneLiners)('$name runs', ({ code }) => {
    const { status, stdout } = spawnSync('sh', ['-c', code], { encoding: 'utf8' });
    expect([status, stdout.length > 40]).toEqual([0, true]);
  });

  it.each(['packages/sandbox/README.md js 1', 'docs/sandbox.md js 1'])('%s runs', (wanted) => {
    const { code } = snippets.find(({ name }) => name === wanted)!;
    const args = ['--input-type=module'];
    const options = { cwd: join(ROOT, 'demo'), input: code, encoding: 'utf8' } as const;
    expect(spawnSync(process.execPath, args, options)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+ sandbox-key \[\]\n$/) as string,
    });
  });

  it.each([
    ['php', 'php', ['-l'], '<?php ', /\$pay->(\w+)/g],
    [
      'python',
      'python3',
      ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'],
      '',
      /pay\.(\w+)\(/g,
    ],
  ] as const)('in %s parse, and call what there is', (language, command, args, before, call) => {
    const found = snippets.filter((each) => each.language === language);
    expect(found.length).toBeGreaterThan(1);
    for (const { name, code } of found) {
      const { status, error } = spawnSync(command, args, { input: before + code });
      if (error === undefined) expect(status, name).toBe(0);
      const file = read(OF_EXAMPLES[name] ?? '');
      const calls = [...code.matchAll(call)].map(([, method]) => method ?? '');
      expect(
        calls.filter((method) => !new RegExp(`(function|def) ${method}\\(`).test(file)),
      ).toEqual([]);
    }
  });
});

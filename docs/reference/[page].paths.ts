/** The pages of the reference: the element from its manifest, both HTTP interfaces from their OpenAPI, the sandbox's switches. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { completeSettings } from '../../packages/sandbox/dist/settings.js';
import { describeSwitches } from '../../packages/sandbox/dist/switches.js';
import { describeApi } from '../../packages/session-server/dist/http/openapi.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly { name: string; in: string; description?: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { description: string; content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas?: Readonly<Record<string, Schema>> };
}

const PACKAGES = join(import.meta.dirname, '../../packages');
const readJson = (file: string): unknown => JSON.parse(readFileSync(join(PACKAGES, file), 'utf8'));
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;
const prose = (text = ''): string =>
  text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');

/** Columns that no row fills are left out. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const filled = head.map((_, index) => rows.some((row) => row[index] !== ''));
  return [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.filter((_, index) => filled[index]).join(' | ')} |`)
    .join('\n');
}

/** What one value may be, in a word or two. */
function nameType({ $ref, type, format, items, anyOf, oneOf, ...schema }: Schema): string {
  const choices = anyOf ?? oneOf;
  if ($ref !== undefined) return $ref.replace(/.*\//, '');
  if (choices !== undefined) return [...new Set(choices.map(nameType))].join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined)
    return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array') return `${nameType(items ?? {})}[]`;
  return format ?? [type ?? 'any'].flat().join(' | ');
}

/** A row for each field, those of objects inside it included. */
function listFields(schema: Schema, prefix = ''): string[][] {
  const { properties = {}, required = [], anyOf, oneOf, items } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      [
        code(prefix + name),
        code(nameType(field)),
        required.includes(name) ? 'yes' : '',
        prose(field.description),
      ],
      ...listFields(field, `${prefix}${name}.`),
    ]),
    ...(anyOf ?? oneOf ?? []).flatMap((choice) => listFields(choice, prefix)),
    ...(items === undefined ? [] : listFields(items, prefix.replace(/\.$/, '[].'))),
  ];
}

function describeContent(title: string, content: Content | undefined): string[] {
  const schema = Object.values(content ?? {})[0]?.schema;
  if (schema === undefined) return [];
  const fields = new Map(listFields(schema).map((row) => [row[0], row]));
  if (fields.size === 0) return [`**${title}**: ${code(nameType(schema))}`];
  return [`**${title}**`, table(['field', 'type', 'always', 'what it is'], [...fields.values()])];
}

function describeOperations({ paths, components }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => [
      `## ${code(`${method.toUpperCase()} ${path}`)}`,
      prose(operation.description ?? operation.summary),
      ...(operation.parameters?.length
        ? [
            table(
              ['parameter', 'in', 'what it is'],
              operation.parameters.map((each) => [
                code(each.name),
                each.in,
                prose(each.description),
              ]),
            ),
          ]
        : []),
      ...describeContent('Request', operation.requestBody?.content),
      ...Object.entries(operation.responses)
        .filter(([status]) => status !== 'default')
        .flatMap(([status, { content }]) => {
          const described = describeContent(`Answer ${status}`, content);
          return described.length > 0 ? described : [`**Answer ${status}**`];
        }),
    ]),
  );
  const shared = Object.entries(components.schemas ?? {}).flatMap(([name, schema]) => [
    `## ${name}`,
    ...describeContent('Fields', { json: { schema } }),
  ]);
  return [...operations, ...shared].join('\n\n');
}

interface Described {
  readonly name?: string;
  readonly kind?: string;
  readonly privacy?: string;
  readonly description?: string;
  readonly type?: { readonly text: string };
}

interface Manifest {
  readonly modules: readonly {
    readonly declarations: readonly Readonly<Record<string, unknown>>[];
  }[];
}

function describeElement({ modules }: Manifest): string {
  const element = modules
    .flatMap(({ declarations }) => declarations)
    .find(({ tagName }) => tagName === 'pay-checkout');
  const list = (key: string): readonly Described[] => (element?.[key] ?? []) as Described[];
  const members = list('members').filter(
    ({ privacy, description }) => privacy === 'public' && description,
  );
  const section = (title: string, rows: readonly Described[]): string[] => {
    const isTyped = rows.some(({ type }) => type !== undefined);
    return [
      `## ${title}`,
      table(
        ['name', ...(isTyped ? ['type'] : []), 'what it is'],
        rows.map(({ name = '', type, description }) => [
          code(name || '(default)'),
          ...(isTyped
            ? [type ? code(type.text.replaceAll('\n', ' ').replace(' | null | undefined', '')) : '']
            : []),
          prose(description),
        ]),
      ),
    ];
  };
  return [
    ...section('Attributes', list('attributes')),
    ...section(
      'Properties',
      members.filter(({ kind }) => kind === 'field'),
    ),
    ...section(
      'Methods',
      members.filter(({ kind }) => kind === 'method'),
    ),
    ...section('Events', list('events')),
    ...section('Slots', list('slots')),
    ...section('Parts', list('cssParts')),
    ...section('States', list('cssStates')),
    ...section('Custom properties', list('cssProperties')),
  ].join('\n\n');
}

/** What the provider's specification leaves open, and the sandbox decides by a switch. */
function describeSandbox(): string {
  const switches = describeSwitches(completeSettings({ apiKey: 'key' }));
  return table(
    ['switch', 'variable', 'what it decides (section)', 'default'],
    switches.map(({ name, environment, what, section, default: preset }) => [
      code(name),
      code(environment),
      prose(`${what} (${section})`),
      code(typeof preset === 'string' ? preset : JSON.stringify(preset)),
    ]),
  );
}

export default {
  paths: () => [
    {
      params: { page: 'element' },
      content: `# The element\n\n${describeElement(readJson('widget/dist/custom-elements.json') as Manifest)}`,
    },
    {
      params: { page: 'session-server' },
      content: `# HTTP interface of the session server\n\nErrors are RFC 9457 problems with a [code](../error-codes.md). \`GET /openapi.json\` has all of this as OpenAPI 3.1.\n\n${describeOperations(describeApi('https://pay.example') as unknown as OpenApi)}`,
    },
    {
      params: { page: 'provider' },
      content: `# The provider’s API\n\n\`@pay-checkout/partner-api/openapi.json\` has all of this as OpenAPI 3.1, with what the provider’s specification leaves open.\n\n${describeOperations(readJson('partner-api/dist/openapi.json') as OpenApi)}`,
    },
    {
      params: { page: 'sandbox' },
      content: `# Switches of the sandbox\n\nEach is set in the environment, in a file, or while it runs: see the [sandbox](../../packages/sandbox/README.md#run-it).\n\n${describeSandbox()}`,
    },
  ],
};

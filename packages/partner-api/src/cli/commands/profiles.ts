import { resolve } from 'node:path';
import type { Command } from 'commander';

import type { Cli } from '../cli.js';
import { UsageError } from '../exit-codes.js';
import { askForKey, readKeyFile } from '../keys.js';
import type { GlobalOptions } from '../options.js';
import {
  configPathOf,
  type Profile,
  type ProfileFile,
  profileOf,
  readNamedProfiles,
  readProfiles,
  writeProfiles,
} from '../profiles.js';
import { renderFields, renderTable } from '../render.js';

interface SetOptions extends GlobalOptions {
  readonly storeKey?: true;
  readonly default?: true;
}

const HELP = `
Profiles are in $XDG_CONFIG_HOME/pay-partner/config.json (or ~/.config), readable by you only. A
profile names the file of a key. With --store-key it holds the key, from a hidden prompt or from
--api-key-file.

Examples:
  $ pay-partner profiles set sandbox --base-url http://127.0.0.1:4300 --environment sandbox \\
      --merchants-base-url http://127.0.0.1:4300/merchants-sandbox --store-key --default
  $ pay-partner profiles list`;

/** `profiles`: settings under names. */
export function addProfileCommands(program: Command, cli: Cli): void {
  const group = program.command('profiles').description('named settings of accounts');
  group.addHelpText('after', HELP);
  group
    .command('set')
    .description('create or change a profile, from the global options')
    .argument('<name>')
    .option('--store-key', 'keep the key in the file')
    .option('--default', 'make it the default profile')
    .action((name: string, _options: SetOptions, command: Command) => set(cli, name, command));
  group
    .command('list')
    .description('all profiles; keys are never shown')
    .action((_options: GlobalOptions, command: Command) => list(cli, command));
  group
    .command('show')
    .description('one profile; its key is not shown')
    .argument('<name>')
    .action((name: string, _options: GlobalOptions, command: Command) => show(cli, name, command));
  group
    .command('use')
    .description('make this the default profile')
    .argument('<name>')
    .action((name: string, _options: GlobalOptions, command: Command) =>
      change(cli, command, 'must exist', (file) => {
        find(file, name);
        return { ...file, defaultProfile: name };
      }),
    );
  group
    .command('remove')
    .description('delete a profile')
    .argument('<name>')
    .action((name: string, _options: GlobalOptions, command: Command) =>
      change(cli, command, 'must exist', (file) => remove(file, name)),
    );
}

async function set(cli: Cli, name: string, command: Command): Promise<void> {
  if (!/^[\w.-]{1,64}$/.test(name)) {
    throw new UsageError('The name of a profile has letters, digits, dot, dash and underscore.');
  }
  const options = command.optsWithGlobals<SetOptions>();
  const given = await readGiven(cli, options);
  await change(cli, command, 'may be new', (file) => {
    const profiles = { ...file.profiles, [name]: { ...profileOf(file, name), ...given } };
    const isDefault = options.default === true || Object.keys(file.profiles).length === 0;
    return { ...file, ...(isDefault ? { defaultProfile: name } : {}), profiles };
  });
  cli.terminal.note(`Stored in ${configPathOf(options, cli.context.env)}.`);
}

async function readGiven(cli: Cli, options: SetOptions): Promise<Profile> {
  const { baseUrl, environment, merchantsBaseUrl, transfersBaseUrl } = options;
  const { apiKeyFile, transfersApiKeyFile } = options;
  const addresses = { baseUrl, environment, merchantsBaseUrl, transfersBaseUrl };
  const key = options.storeKey === true ? await readKeyToStore(cli, options) : undefined;
  const fields = {
    ...addresses,
    apiKey: key,
    apiKeyFile: key === undefined && apiKeyFile !== undefined ? resolve(apiKeyFile) : undefined,
    transfersApiKeyFile:
      transfersApiKeyFile === undefined ? undefined : resolve(transfersApiKeyFile),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

async function readKeyToStore({ context, terminal }: Cli, options: SetOptions): Promise<string> {
  const key =
    options.apiKeyFile === undefined
      ? await askForKey(context)
      : await readKeyFile(options.apiKeyFile, context);
  if (key === undefined) {
    throw new UsageError('--store-key: there is no terminal to ask on; give --api-key-file - too.');
  }
  terminal.hide(key);
  return key.reveal();
}

async function list(cli: Cli, command: Command): Promise<void> {
  const { file, options } = await read(cli, command);
  const { terminal } = cli;
  const names = Object.keys(file.profiles);
  if (options.json === true) {
    const profiles = names.map((name) => ({ name, ...hideKey(find(file, name)) }));
    return terminal.printJson({ defaultProfile: file.defaultProfile, profiles });
  }
  if (names.length === 0)
    return terminal.note('No profiles. Make one: pay-partner profiles set --help');
  const rows = names.map((name) => {
    const { environment = '', baseUrl = '', ...rest } = hideKey(find(file, name));
    const mark = name === file.defaultProfile ? '*' : '';
    return [mark, name, environment, baseUrl, rest.apiKeyFile ?? rest.apiKey ?? 'none'];
  });
  const titles = ['', 'name', 'environment', 'address', 'key'].map((title) => ({ title }));
  terminal.print(...renderTable(titles, rows, terminal.tableWidth));
}

async function show(cli: Cli, name: string, command: Command): Promise<void> {
  const { file, options } = await read(cli, command);
  const profile = hideKey(find(file, name));
  if (options.json === true) return cli.terminal.printJson({ name, ...profile });
  cli.terminal.print(...renderFields([['name', name], ...Object.entries(profile)]));
}

async function change(
  cli: Cli,
  command: Command,
  presence: FilePresence,
  edit: (file: ProfileFile) => ProfileFile,
): Promise<void> {
  const { file, path } = await read(cli, command, presence);
  await writeProfiles(path, edit(file));
}

type FilePresence = 'may be new' | 'must exist';

async function read(
  cli: Cli,
  command: Command,
  presence: FilePresence = 'must exist',
): Promise<{ file: ProfileFile; path: string; options: GlobalOptions }> {
  const options = command.optsWithGlobals<GlobalOptions>();
  const path = configPathOf(options, cli.context.env);
  const file =
    presence === 'may be new'
      ? await readProfiles(path)
      : await readNamedProfiles(options, cli.context.env);
  return { file, path, options };
}

function remove(file: ProfileFile, name: string): ProfileFile {
  find(file, name);
  const rest = Object.entries(file.profiles).filter(([other]) => other !== name);
  const profiles = Object.fromEntries(rest);
  const { defaultProfile } = file;
  return defaultProfile === undefined || defaultProfile === name
    ? { profiles }
    : { defaultProfile, profiles };
}

function find(file: ProfileFile, name: string): Profile {
  const profile = profileOf(file, name);
  if (profile === undefined) throw new UsageError(`There is no profile ${name}.`);
  return profile;
}

function hideKey(profile: Profile): Profile {
  return profile.apiKey === undefined ? profile : { ...profile, apiKey: '(in the file, hidden)' };
}

import { Secret } from '@pay-checkout/partner-api';

/** What a person, or a program, of the platform may do: each role may do what those before it may. */
export const ROLES = ['read', 'act', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Someone who was let in. */
export interface Operator {
  /** What the audit trail names: a name, or the fingerprint of a key without one. */
  readonly actor: string;
  readonly role: Role;
}

/** A key of `PAY_OPERATOR_KEY`. */
export interface OperatorKey {
  readonly secret: Secret;
  /** Undefined: its fingerprint stands for it. */
  readonly name?: string | undefined;
  readonly role: Role;
}

const NAMED = /^([\w.@+-]{1,64}):(read|act|admin):(.*)$/;
const MIN_KEY_CHARS = 32;

export const OPERATOR_KEYS_EXPECTED =
  'expected at least 32 characters of random text, or "<name>:<read, act or admin>:<key>", several separated by commas, each name once';

/** Keys of `PAY_OPERATOR_KEY`; undefined when the text is not made of them. One without a role is an admin's. */
export function readOperatorKeys(text: string): OperatorKey[] | undefined {
  const keys = text.split(',').map((part): OperatorKey => {
    const [, name, role, key] = NAMED.exec(part.trim()) ?? [];
    return key === undefined
      ? { secret: new Secret(part), role: 'admin' }
      : { secret: new Secret(key), name, role: role as Role };
  });
  const names = keys.flatMap(({ name }) => name ?? []);
  const isGood =
    keys.every(({ secret }) => secret.reveal().length >= MIN_KEY_CHARS) &&
    new Set(names).size === names.length;
  return isGood ? keys : undefined;
}

const USER = /^([^\s:,]{1,100}):(read|act|admin)$/;

export const OPERATOR_USERS_EXPECTED =
  'expected names with their roles, such as "ada@shop.example:admin, *:read", each once; "*" is everyone else';

/** People whom a proxy names, by their names; undefined when the text is not made of them. */
export function readOperatorUsers(text: string): ReadonlyMap<string, Role> | undefined {
  const users = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => USER.exec(part) ?? []);
  const names = new Map(users.map(([, name = '', role]) => [name.toLowerCase(), role as Role]));
  return names.has('') || names.size < users.length ? undefined : names;
}

/** Whether a role may do what is for another one. */
export function mayAs(role: Role, wanted: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(wanted);
}

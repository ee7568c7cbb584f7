import type { Params } from '@pay-checkout/page-kit/address';
import type { NavigationEntry } from '@pay-checkout/page-kit/frame';
import type { TemplateResult } from 'lit';
import type { Question } from './api.js';

/** What a page may ask of the frame around it. */
export interface PageActions {
  /**
   * Asks the server for a change, and then for the page again; `done` is said when it has happened.
   * With `ask`, the person is asked first.
   */
  act(action: Action): Promise<void>;
  /** Says what was done without the server. */
  say(done: string): void;
  /** The answer of the last action that wanted it kept, until the page is left. */
  readonly kept: unknown;
  /** Whether the person may do what is for a role. */
  may(role: 'act' | 'admin'): boolean;
  /** The partner console, if the server knows one. */
  readonly consoleUrl: string | undefined;
}

/** One change to ask the server for. */
interface Request {
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** A change, or several that are asked for one after the other until one fails. */
export type Action = (Request | { readonly each: readonly Request[] }) & {
  readonly done: string;
  readonly isKept?: boolean;
  /** What the person is asked before: to confirm, or for a note as well. */
  readonly ask?: {
    readonly title: string;
    readonly text: string;
    readonly button: string;
    /** Default: none. */
    readonly note?: 'optional' | 'required';
    /** Whether it may be for a colleague, whose name is sent as `for`. */
    readonly hasPerson?: boolean;
  };
};

/** One page: it reads one thing of the server, again and again, and draws it. */
export interface Page<T = unknown> extends NavigationEntry {
  readonly title: (params: Params) => string;
  /** What it reads, below `/page/`; undefined: nothing. */
  readonly read: (params: Params) => Question | undefined;
  readonly draw: (answer: T, params: Params, actions: PageActions) => TemplateResult;
  /** Default: a few seconds. */
  readonly everySeconds?: number;
}

/** A page as the table has it, whatever it reads. */
export const page = <T>(definition: Page<T>): Page => definition as Page;

import type { Params } from '@pay-checkout/page-kit/address';
import type { NavigationEntry } from '@pay-checkout/page-kit/frame';
import type { TemplateResult } from 'lit';
import type { ApiDescription, Call } from './api.js';

export type Read = <T>(path: string) => Promise<T>;

/** What a view may ask of the frame around it. */
export interface Frame {
  /** Says what each route takes. */
  readonly api: ApiDescription;
  /** Asks for a change, then reads the view again; `done` is said when it has happened. */
  act(change: Call & { readonly done: string | ((answer: never) => string) }): Promise<void>;
  /** Changes the query of the address in place, as a filter does. */
  filter(query: Params): void;
  copy(text: string, done: string): Promise<void>;
}

/** One view of the page: what it reads, and how it is drawn. */
export interface View<T = unknown> extends NavigationEntry {
  /** Which place in the navigation it belongs to. Default: its own. */
  readonly under?: string;
  readonly title: (params: Params) => string;
  readonly read: (read: Read, params: Params) => Promise<T>;
  readonly draw: (answer: T, params: Params, frame: Frame) => TemplateResult;
}

/** A view as the table has it, whatever it reads. */
export const view = <T>(definition: View<T>): View => definition as View;

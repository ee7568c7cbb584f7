/** What the address check will compare, and what the address lines say about it. */
import { html, nothing, render, type TemplateResult } from 'lit';
import { find } from '../../shared/pages/find.js';
import type { AvsView } from '../console-view.js';
import { read } from './console-api.js';

/** A person goes on typing within this time. */
const PAUSE_MS = 300;

const FIELDS = [
  ['AvsHouseNumber', 'house number'],
  ['AvsPostcode', 'postcode'],
  ['flat', 'flat'],
] as const;

/** Shows it below the fields, and offers to fill in what the lines say. */
export function watchAvs(form: HTMLFormElement, output: HTMLElement): void {
  const input = (name: string): HTMLInputElement =>
    find(form, `[name="${name}"]`, HTMLInputElement);
  const textOf = (name: string): string => input(name).value.trim();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let newest = new AbortController();

  const fillIn = (found: AvsView): void => {
    for (const [name] of FIELDS) if (found[name] !== undefined) input(name).value = found[name];
    render(renderCheck({}), output);
    input('AvsHouseNumber').focus();
  };

  const renderCheck = (found: AvsView): TemplateResult => {
    const better = FIELDS.filter(
      ([name]) => found[name] !== undefined && found[name] !== textOf(name),
    );
    const house = textOf('AvsHouseNumber');
    const postcode = textOf('AvsPostcode');
    return html`<div class="total" role="status">
      <p>
        ${
          house === '' && postcode === ''
            ? 'Nothing to compare yet: enter a house number or a postcode.'
            : html`The bank is given
              ${house === '' ? 'no house number' : html`house number <b>${house}</b>`} and
              ${postcode === '' ? 'no postcode' : html`postcode <b>${postcode}</b>`}.`
        }
      </p>
      ${
        better.length === 0
          ? nothing
          : html`<p>
              The address says
              ${better.map(([name, words], at) => html`${at === 0 ? '' : ', '}${words} <b>${found[name]}</b>`)}.
              <button type="button" class="outline" @click=${() => fillIn(found)}>Fill in</button>
            </p>`
      }
    </div>`;
  };

  const check = async (): Promise<void> => {
    newest.abort();
    newest = new AbortController();
    const { signal } = newest;
    const query = new URLSearchParams({
      address1: textOf('address1'),
      address2: textOf('address2'),
      postcode: textOf('AvsPostcode'),
    });
    // Without an answer there is no suggestion; the form works all the same.
    const found = await read<AvsView>(`/api/avs?${query}`, signal).catch((): AvsView => ({}));
    if (!signal.aborted) render(renderCheck(found), output);
  };

  form.addEventListener('input', (event) => {
    const { target } = event;
    if (!(target instanceof HTMLInputElement) || !/^(address\d|flat|Avs)/.test(target.name)) return;
    clearTimeout(timer);
    timer = setTimeout(() => void check(), PAUSE_MS);
  });
  void check();
}

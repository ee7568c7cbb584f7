import { type Params, linkTo, queryOf } from '@pay-checkout/page-kit/address';
import { html, nothing, type TemplateResult } from 'lit';
import type { RecordedCall } from '../../src/inspector/recorded-call.js';
import type { LoggedRequest } from '../../src/logged-request.js';
import { renderMessage } from '../message.js';
import { badge, renderSearch, sessionLink, statusBadge, time } from '../parts.js';
import { view, type Frame, type Read } from '../view.js';

interface Requests {
  readonly requests: readonly LoggedRequest[];
  readonly counts: Readonly<Record<string, number>>;
  readonly detail?: Partial<RecordedCall> & { readonly curl?: string };
}

const ROWS = 100;

async function readRequests(read: Read, { number, ...params }: Params): Promise<Requests> {
  const { operation, before, search = '' } = params;
  const query = queryOf({ operation, before, search: search.trim(), limit: String(ROWS) });
  const [list, detail] = await Promise.all([
    read<Requests>(`requests${query}`),
    number === undefined ? undefined : read<Requests['detail']>(`requests/${number}`),
  ]);
  return { ...list, ...(detail && { detail }) };
}

/** Each call of the API, as it comes. */
export const requestsView = view<Requests>({
  path: 'requests',
  nav: 'Requests',
  title: () => 'Requests',
  read: readRequests,
  draw: draw,
});

/** One of them, next to the list where there is room. */
export const requestView = view<Requests>({
  path: 'requests/:number',
  under: 'requests',
  title: ({ number }) => `Request ${number ?? ''}`,
  read: readRequests,
  draw: draw,
});

function draw({ requests, counts, detail }: Requests, params: Params, frame: Frame) {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const { number, operation, search, before } = params;
  if (total === 0 && detail === undefined) return renderFirstSteps(frame);
  return html`<div class=${number === undefined ? 'split' : 'split has-detail'}>
    <section class="list" aria-label="Calls">
      <div class="buttons">
        ${renderSearch('Search addresses, ids, headers, bodies', params, frame)}
        <button
          class="outline"
          @click=${() => frame.act({ path: 'requests', method: 'DELETE', done: 'The requests are cleared.' })}
        >
          Clear
        </button>
      </div>
      <nav aria-label="Operations">
        <ul>
          ${[undefined, ...Object.keys(counts).sort()].map(
            (name) =>
              html`<li>
                <a
                  href=${linkTo('requests', { operation: name, search })}
                  aria-current=${name === operation ? 'true' : nothing}
                  >${name ?? 'All'}
                  <span class="quiet"
                    >${(name === undefined ? total : counts[name])?.toLocaleString('en')}</span
                  ></a
                >
              </li>`,
          )}
        </ul>
      </nav>
      ${
        requests.length === 0
          ? html`<p class="quiet">No call matches. Try a shorter text, or all operations.</p>`
          : renderCalls(requests, params)
      }
      <p class="buttons">
        ${before === undefined ? nothing : html`<a href=${linkTo('requests', { operation, search })}>Newest</a>`}
        ${
          requests.length < ROWS
            ? nothing
            : html`<a
                href=${linkTo('requests', { operation, search, before: String(requests[0]?.number) })}
                >Older</a
              >`
        }
      </p>
    </section>
    ${detail && renderDetail(detail, params, frame)}
  </div>`;
}

function renderCalls(requests: readonly LoggedRequest[], { number, ...query }: Params) {
  return html`<ol class="calls">
    ${requests.toReversed().map(
      (call) =>
        html`<li>
          <a
            href=${linkTo(`requests/${String(call.number)}`, query)}
            aria-current=${String(call.number) === number ? 'true' : nothing}
          >
            ${statusBadge(call.status, call.state)}
            <strong
              >${call.operation === 'unknown' ? `${call.method} ${call.path}` : call.operation}</strong
            >
            <span class="quiet">${aboutOf(call)}</span>
            ${call.fault && badge(`fault: ${call.fault}`, 'is-wait')}
            <span class="when">
              ${time(call.at)}
              <span class="quiet"
                >${call.milliseconds === undefined ? '…' : `${String(call.milliseconds)} ms`}</span
              >
            </span>
          </a>
        </li>`,
    )}
  </ol>`;
}

function aboutOf({ orderId, merchantId, sessionId }: LoggedRequest): string {
  const parts = [
    orderId !== undefined && `order ${String(orderId)}`,
    merchantId !== undefined && `merchant ${String(merchantId)}`,
    sessionId !== undefined && `session ${sessionId.slice(0, 8)}…`,
  ];
  return parts.filter(Boolean).join(' · ');
}

function renderDetail(call: NonNullable<Requests['detail']>, params: Params, frame: Frame) {
  const { number: _number, ...query } = params;
  const { curl, request, response, sessionId, fault } = call;
  return html`<section aria-label="The call">
    <p class="buttons">
      <a class="only-narrow" href=${linkTo('requests', query)}>All requests</a>
      ${
        curl &&
        html`<button
          @click=${() => frame.copy(curl, 'Copied as curl. The key is $SANDBOX_API_KEY.')}
        >
          Copy as curl
        </button>`
      }
    </p>
    <p>
      ${statusBadge(call.status, call.state)} <code>${call.method} ${call.path}</code>
      ${fault && badge(`fault: ${fault}`, 'is-wait')}
    </p>
    <p class="quiet">
      ${call.at && time(call.at)}
      ${call.milliseconds === undefined ? nothing : `· ${String(call.milliseconds)} ms`}
      ${sessionId && html`· session ${sessionLink(sessionId)}`}
    </p>
    ${
      request
        ? html`${renderMessage('Request', request)}
          ${renderMessage(
            'Response',
            response,
            call.state === 'dropped' ? 'The connection was closed without a response.' : undefined,
          )}
          ${
            curl &&
            html`<h2>As curl</h2>
              <pre tabindex="0" aria-label="As curl">${curl}</pre>`
          }`
        : call.state === 'answered' || call.state === 'dropped'
          ? html`<p class="quiet">The headers and bodies of this call are no longer kept.</p>`
          : html`<p class="quiet">The call is still waiting for its response.</p>`
    }
  </section>`;
}

function renderFirstSteps(frame: Frame): TemplateResult {
  const origin = location.origin;
  const example = `curl ${origin}/create-session \\
  -H "api_key: $SANDBOX_API_KEY" -H 'content-type: application/json' \\
  -d '{"merchant_id":1001,"order_id":71,"Amount":"12.34"}'`;
  return html`<section>
    <p>No calls yet. Each call of this sandbox’s API appears here as it arrives.</p>
    <pre tabindex="0" aria-label="A first call">${example}</pre>
    <p class="buttons">
      <button @click=${() => frame.copy(example, 'Copied.')}>Copy</button>
      <a href="/openapi.json">The API</a>
      <a href="#/scenarios">Test cards</a>
    </p>
  </section>`;
}

import { renderTable } from '@pay-checkout/page-kit/parts';
import { html, nothing, type TemplateResult } from 'lit';
import type { NewSecretView, SecretsView, SetupView } from '../../src/dashboard/view.js';
import { localTime } from '../frame/formatting.js';
import { page, type PageActions } from '../frame/page.js';
import { renderCheck } from './parts.js';

/** What the shop is built with: snippets, addresses, and secrets. */
export const setupPage = page<SetupView>({
  path: 'setup',
  nav: 'Setup',
  title: () => 'Setup',
  read: () => 'setup',
  everySeconds: 15,
  draw: (view, _params, actions) => html`
    ${
      view.isDisabled
        ? html`<article class="is-bad">
            Your platform takes no new payments for you. Pending ones are still confirmed.
          </article>`
        : nothing
    }
    ${renderAddresses(view, actions)}
    <h2>Keys and secrets</h2>
    ${renderNew(actions.kept)} ${view.secrets.map((secrets) => renderSecrets(secrets, actions))}
    ${renderSnippets(view)}
  `,
});

function renderAddresses(
  { server, currency, origins, returnUrl, receiver, orderLookup }: SetupView,
  actions: PageActions,
): TemplateResult {
  const check = (what: string, done: string) => () =>
    actions.act({ path: `checks/${what}`, done, isKept: true });
  return html`<h2>Addresses</h2>
    ${renderTable(
      'Addresses',
      ['What', 'Address', 'Check'],
      [
        ['Server', html`<code>${server}</code>`, '–'],
        ['Your pages', html`${origins.map((each) => html`<code>${each}</code> `)}`, '–'],
        [
          'Return page',
          html`<code>${returnUrl}</code>${renderCheck(actions.kept, 'return-page')}`,
          html`<button
            class="outline"
            @click=${check('return-page', 'Your return page was asked for.')}
          >
            Check
          </button>`,
        ],
        [
          'Receiver of events',
          receiver === undefined
            ? 'none: your back end reads the feed'
            : html`<code>${receiver}</code>${renderCheck(actions.kept, 'receiver')}`,
          receiver === undefined
            ? '–'
            : html`<button
                class="outline"
                @click=${check('receiver', 'A signed event of the type “test” was sent.')}
              >
                Send a test event
              </button>`,
        ],
        ...(orderLookup === undefined
          ? []
          : [['Order lookup', html`<code>${orderLookup}</code>`, '–']]),
        ['Currency', currency, '–'],
      ],
    )}
    <p><small>Your platform changes these in your entry.</small></p>`;
}

const NAMES: Readonly<Record<SecretsView['kind'], string>> = {
  'api-key': 'API key',
  'signing-secret': 'signing secret',
  'order-token-secret': 'order token secret',
};

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function renderSecrets(
  { kind, values, canRotate }: SecretsView,
  actions: PageActions,
): TemplateResult {
  const name = NAMES[kind];
  const rotate = {
    path: `secrets/${kind}/rotate`,
    done: `There is a new ${name}.`,
    isKept: true,
    ask: {
      title: `New ${name}`,
      text: canRotate
        ? 'It is shown once. The old one stays valid until you remove it.'
        : 'It is shown once. It counts when your platform has added it to your entry.',
      button: 'Make it',
    },
  };
  const retire = {
    path: `secrets/${kind}/retire`,
    done: 'The old values are no longer valid.',
    ask: {
      title: 'Remove the old values?',
      text: `Only the newest ${name} stays valid, within seconds. Anyone who signed in here with an old one signs in again.`,
      button: 'Remove',
    },
  };
  return html`<article>
    <h3>${capitalize(name)}</h3>
    ${
      values.length === 0
        ? html`<p>None yet.</p>`
        : renderTable(
            name,
            ['Fingerprint', 'Seen here since'],
            values.map(({ fingerprint, seenSince }) => [
              html`<code>${fingerprint}</code>`,
              localTime(seenSince),
            ]),
          )
    }
    <button class="outline" @click=${() => actions.act(rotate)}>New ${name} …</button>
    ${
      canRotate && values.length > 1
        ? html`<button class="outline secondary" @click=${() => actions.act(retire)}>
            Remove the old ones …
          </button>`
        : nothing
    }
  </article>`;
}

/** A new value, until the page is left. */
function renderNew(kept: unknown): TemplateResult | typeof nothing {
  const { kind, secret, line } = (kept ?? {}) as Partial<NewSecretView>;
  if (kind === undefined || secret === undefined) return nothing;
  return html`<article>
    <p><mark>Copy it now: it is not shown again.</mark></p>
    <p>${capitalize(NAMES[kind])}: <code>${secret}</code></p>
    ${
      line === undefined
        ? html`<p>The old one stays valid. When your shop no longer uses it, remove it here.</p>`
        : html`<p>Give your platform this for your entry, before the values that are there:</p>
            <pre tabindex="0" aria-label="Line for the entry"><code>${line}</code></pre>`
    }
  </article>`;
}

/** Has the page load the provider's script along with the element's. */
function preloadOf({ url, integrity }: NonNullable<SetupView['sdk']>): string {
  const pinned = integrity === undefined ? '' : ` integrity="${integrity}" crossorigin`;
  return `<link rel="preload" as="script" href="${url}"${pinned} />`;
}

function renderSnippets({ server, merchant, orderLookup, sdk }: SetupView): TemplateResult {
  const tag = [
    `<script src="${server}/v1/pay-checkout.js" async crossorigin></script>`,
    `<pay-checkout merchant="${merchant}" order="A1001" order-token="…"></pay-checkout>`,
  ];
  const backEnd = [
    `import { PayCheckout } from '@pay-checkout/merchant';`,
    '',
    `const pay = new PayCheckout({`,
    `  server: '${server}',`,
    `  merchant: '${merchant}',`,
    `  apiKey: process.env.PAY_CHECKOUT_API_KEY,`,
    `  signingSecret: process.env.PAY_CHECKOUT_SIGNING_SECRET,`,
    `});`,
    ...(orderLookup === undefined
      ? [`const { orderToken } = await pay.orders.put('A1001', { amount: '9.99', currency: '…' });`]
      : []),
  ];
  return html`<h2>Snippets</h2>
    <p>On the page:</p>
    <pre tabindex="0" aria-label="Tag"><code>${tag.join('\n')}</code></pre>
    ${
      sdk === undefined
        ? nothing
        : html`<p>In the page’s head, for a faster form:</p>
            <pre tabindex="0" aria-label="Preload"><code>${preloadOf(sdk)}</code></pre>`
    }
    <p>In your back end:</p>
    <pre tabindex="0" aria-label="Back end"><code>${backEnd.join('\n')}</code></pre>`;
}

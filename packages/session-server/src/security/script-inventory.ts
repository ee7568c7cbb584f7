import type { SdkDescription } from '../contract.js';
import {
  hashedNameOf,
  readEarlierScripts,
  readOwnAsset,
  readWidgetScript,
} from '../hosted/page-asset.js';

/** Which pages run a script: the merchant's with the tag, our hosted page, our return page. */
export type InventoryPage = 'merchant' | 'hosted' | 'return';

/** One script of the payment pages, as PCI DSS 4 requirement 6.4.3 asks to list it. */
export interface InventoryScript {
  readonly name: string;
  readonly pages: readonly InventoryPage[];
  /** Address that browsers load it from. */
  readonly url: string;
  /** The same script under a name that changes with its text: the one to pin. */
  readonly pinnedUrl?: string;
  /** For Subresource Integrity; absent when nobody has told us a hash. */
  readonly integrity?: string;
  /** How its integrity is assured. */
  readonly assurance: string;
  readonly owner: 'platform' | 'provider';
  /** Why it is needed. */
  readonly purpose: string;
  /** Who allowed it, and by what. */
  readonly authorisedBy: string;
  /** The merchants whose pages run it; absent when all do. */
  readonly merchants?: readonly string[];
}

export interface InventoryOptions {
  /** Origin of the session server, as browsers use it: its `PAY_PUBLIC_URL`. */
  readonly publicUrl: string;
  /** Path of the element's script: its `PAY_WIDGET_SCRIPT`. */
  readonly widgetScript: string;
  /** Paths of versions that pages may still have pinned: its `PAY_EARLIER_WIDGET_SCRIPTS`. */
  readonly earlierWidgetScripts?: readonly string[];
  readonly merchants: readonly { readonly id: string; readonly sdk: SdkDescription }[];
}

const ELEMENT_PURPOSE =
  'defines <pay-checkout>: opens the checkout, loads the SDK, shows the outcome';
const BY_RELEASE = 'the platform, by running this version of the session server';

/**
 * Every script that the payment pages run because of us. What a merchant's page runs besides is the
 * merchant's to list; what the provider runs inside its own frames is the provider's.
 *
 * @throws {ConfigError} when a script cannot be read
 */
export function scriptInventory(options: InventoryOptions): InventoryScript[] {
  const { publicUrl, widgetScript, earlierWidgetScripts = [], merchants } = options;
  const element = readWidgetScript(widgetScript);
  return [
    {
      name: 'pay-checkout.js',
      pages: ['merchant', 'hosted'],
      url: `${publicUrl}/v1/pay-checkout.js`,
      pinnedUrl: `${publicUrl}/v1/${hashedNameOf(element)}`,
      integrity: element.integrity,
      assurance:
        'on merchants’ pages: Subresource Integrity with the pinned address; on the hosted page: same origin, and only its own policy’s sources',
      owner: 'platform',
      purpose: ELEMENT_PURPOSE,
      authorisedBy: BY_RELEASE,
    },
    ...readEarlierScripts(earlierWidgetScripts).map((version): InventoryScript => ({
      name: 'pay-checkout.js, an earlier version',
      pages: ['merchant'],
      url: `${publicUrl}/v1/${hashedNameOf(version)}`,
      integrity: version.integrity,
      assurance: 'Subresource Integrity: only pages that have pinned it load it',
      owner: 'platform',
      purpose: ELEMENT_PURPOSE,
      authorisedBy: 'the platform, by PAY_EARLIER_WIDGET_SCRIPTS',
    })),
    ownScript(publicUrl, 'hosted.js', 'hosted', 'leads from the outcome back to the shop'),
    ownScript(
      publicUrl,
      'return.js',
      'return',
      'tells the page with the tag that the shopper is back',
    ),
    ...sdkScripts(merchants),
  ];
}

function ownScript(
  publicUrl: string,
  name: 'hosted.js' | 'return.js',
  page: InventoryPage,
  purpose: string,
): InventoryScript {
  return {
    name,
    pages: [page],
    url: `${publicUrl}/v1/assets/${name}`,
    integrity: readOwnAsset(name).integrity,
    assurance: 'same origin as its page, whose policy allows no other source for it',
    owner: 'platform',
    purpose,
    authorisedBy: BY_RELEASE,
  };
}

/** Merchants may share an SDK; each script is listed once. */
function sdkScripts(merchants: InventoryOptions['merchants']): InventoryScript[] {
  const byScript = new Map<string, { readonly sdk: SdkDescription; readonly ids: string[] }>();
  for (const { id, sdk } of merchants) {
    const key = `${sdk.url}\n${sdk.integrity ?? ''}`;
    const known = byScript.get(key) ?? { sdk, ids: [] };
    known.ids.push(id);
    byScript.set(key, known);
  }
  return [...byScript.values()].map(({ sdk, ids }) => ({
    name: 'the provider’s client SDK',
    pages: ['merchant', 'hosted'],
    url: sdk.url,
    ...(sdk.integrity === undefined ? {} : { integrity: sdk.integrity }),
    assurance:
      sdk.integrity === undefined
        ? 'not pinned: ask the provider for a versioned address and its hash, and set sdk.integrity'
        : 'Subresource Integrity, set by the element',
    owner: 'provider',
    purpose: 'draws the card form and takes the payment',
    authorisedBy: 'the platform, by sdk of the merchants file',
    merchants: ids,
  }));
}

/** The inventory as a table in Markdown, for the file of an assessor. */
export function describeInventory(scripts: readonly InventoryScript[]): string {
  const head = [
    'script',
    'runs on',
    'address',
    'integrity',
    'how it is assured',
    'owner',
    'purpose',
    'authorised by',
  ];
  const rows = scripts.map((script) => [
    script.name,
    `${script.pages.join(', ')}${script.merchants === undefined ? '' : ` of ${script.merchants.join(', ')}`}`,
    script.pinnedUrl === undefined ? script.url : `${script.url}; pinned: ${script.pinnedUrl}`,
    script.integrity ?? 'none',
    script.assurance,
    script.owner,
    script.purpose,
    script.authorisedBy,
  ]);
  return [head, head.map(() => '---'), ...rows]
    .map(
      (cells) =>
        `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('<', '&lt;')).join(' | ')} |`,
    )
    .join('\n');
}

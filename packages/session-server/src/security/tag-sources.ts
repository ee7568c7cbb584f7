import type { SdkDescription } from '../contract.js';

/**
 * Names of the Trusted Types policies of the tag: Lit's, and the one with which the element gives
 * the SDK's address to a script tag.
 */
export const TRUSTED_TYPES_POLICIES = ['lit-html', 'pay-checkout-sdk'] as const;

/** Sources that a page must allow, by what for. */
export interface PageSources {
  readonly script: readonly string[];
  readonly connect: readonly string[];
  readonly frame: readonly string[];
}

/** What the provider's SDK needs of any page that shows the tag, the hosted page included. */
export function sdkSources({ url, origins }: SdkDescription): PageSources {
  const script = [...new Set([new URL(url).origin, ...origins.script])];
  return {
    script,
    // The element asks for the script's address when loading it failed, to say why it did.
    connect: [...new Set([...origins.connect, ...script])],
    frame: origins.frame,
  };
}

/** What the tag needs of a merchant's page: our server, and the SDKs of the merchants on it. */
export function tagSources(publicUrl: string, sdks: readonly SdkDescription[]): PageSources {
  const ours = `${publicUrl}/v1/`;
  const join = (pick: (sources: PageSources) => readonly string[]): string[] => [
    ...new Set([ours, ...sdks.flatMap((sdk) => pick(sdkSources(sdk)))]),
  ];
  return {
    script: join(({ script }) => script),
    connect: join(({ connect }) => connect),
    // Ours too: the hosted page in the overlay, and the page that the SDK's frame returns to.
    frame: join(({ frame }) => frame),
  };
}
